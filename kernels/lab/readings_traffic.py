"""What the curves of `traffic` show, put into words by rules, in both languages."""

from __future__ import annotations

from collections.abc import Sequence

from kernels.curve import Curve
from kernels.lab.words import Words, join, localised, number


def read_bytes(curves: Sequence[Curve], operations: int) -> Words:
    """How much more the unfused ways move than the fused one."""
    steps, two, fused, copy = curves
    whole, half, single = (number(curve.last / fused.last) for curve in (steps, two, copy))
    last = f"{fused.x[-1]:g}"
    return Words(
        f"At {last} columns, one operation at a time ({operations} of them) moves {whole.en} times the bytes of the "
        f"fused kernel, an addition and then a norm {half.en} times; a copy of these rows moves {single.en} of them. "
        "The bytes are counted: every tensor that an operation reads or writes, once.",
        f"Ở {last} cột, tính từng phép một ({operations} phép) chuyển số byte gấp {whole.vi} kernel fused, cộng rồi "
        f"norm gấp {half.vi} lần; copy cùng số hàng chuyển {single.vi} lần. Số byte là đếm được: mỗi tensor mà một "
        "phép đọc hay ghi, tính một lần.",
    )


def read_speed(times: Sequence[Curve], speeds: Sequence[Curve]) -> Words:
    """What fusing saves in time, and how near to the copy bandwidth the fused kernel is."""
    if not times:
        return Words(
            "There is no GPU here, so only bytes are counted (view: bytes). Times on a CPU would say nothing about the "
            "kernels.",
            "Ở đây không có GPU nên chỉ đếm byte (xem bytes). Thời gian trên CPU không nói gì về các kernel này.",
        )
    steps, two, fused, _copy = times
    said = []
    for curve in (steps, two):
        ratio = number(curve.last / fused.last)
        said.append(
            Words(
                f"{curve.label} takes {ratio.en} times as long as fused.",
                f"{curve.label} lâu gấp {ratio.vi} lần fused.",
            )
        )
    share = localised(f"{speeds[2].last / speeds[3].last:.0%}")
    speed = number(speeds[2].last)
    said.append(
        Words(
            f"At {fused.x[-1]:g} columns the fused kernel moves {speed.en} GB/s, {share.en} of the copy on this GPU.",
            f"Ở {fused.x[-1]:g} cột kernel fused chuyển {speed.vi} GB/s, bằng {share.vi} của phép copy trên GPU này.",
        )
    )
    return join(said)

"""Compiles the Triton kernels for GPUs that are not here, and prints what each takes as one JSON line.

Run in a process without TRITON_INTERPRET: `python aot_compile.py cuda:80 hip:gfx942`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime import JITFunction

from kernels.triton_kernels import backward, forward, launch, teaching

CUOBJDUMP = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
WAVE = {"gfx942": 64, "gfx90a": 64, "gfx1100": 32}
ROWS = 4096
SPILLS_MATTER = ("cuda:80", "cuda:90")
SHARED_KB = {
    "cuda:80": 163,
    "cuda:90": 227,
    "cuda:100": 227,
    "cuda:120": 99,
    "hip:gfx942": 64,
    "hip:gfx90a": 64,
    "hip:gfx1100": 64,
}
"""The shared memory that a program may have: CUDA C++ Programming Guide, compute capabilities; AMD's LDS."""

POINTERS = {"fp32": "*fp32", "fp16": "*fp16", "bf16": "*bf16"}
FLOAT32 = ("MEAN", "RSTD", "VAR", "OUT", "DWEIGHT", "DBIAS")


def cases(target: str) -> list[tuple[JITFunction[Any], str, int, bool, bool]]:
    """(kernel, dtype, N, is it LayerNorm with a residual or else plain RMSNorm, is N a multiple of 16).

    Not the full product, which takes ten minutes. Registers and spills grow with the width and with what a kernel
    holds, so sm_80 and sm_90, where spills are judged, get the fullest form (LayerNorm, residual, weight, bias) at
    every block size up to 8,192 in each size of dtype, the plain form once, and widths that defeat vector loads. On
    the other targets the question is whether the code compiles, which hangs on the kernel, the dtype and the flags.
    """
    wide = 2 * launch.GPU_WIDEST_FORWARD
    chosen = [
        (forward.norm_forward, "bf16", 8192, False, True),
        (forward.norm_forward, "bf16", launch.GPU_WIDEST_FORWARD, True, True),
        (forward.norm_forward_wide, "bf16", wide, True, True),
        (backward.norm_backward, "bf16", 8192, False, True),
        (backward.norm_backward_wide, "bf16", wide, True, True),
        (backward.norm_backward_columns, "bf16", wide, True, True),
    ]
    full = (forward.norm_forward, backward.norm_backward)
    if target in SPILLS_MATTER:
        chosen += [
            (kernel, dtype, n, True, True) for kernel in full for dtype in ("fp32", "bf16") for n in (1024, 4096, 8192)
        ]
        chosen += [(kernel, "fp16", 8192, True, True) for kernel in full]
        chosen += [(forward.norm_forward, dtype, 8191, True, False) for dtype in ("fp32", "bf16")]
        chosen += [(backward.norm_backward, dtype, 4095, True, False) for dtype in ("fp32", "bf16")]
        chosen += [(backward.norm_backward_wide, "bf16", 8191, True, False)]
        chosen += [
            (kernel, "fp32", wide + 1, True, False)
            for kernel in (forward.norm_forward_wide, backward.norm_backward_wide)
        ]
    else:
        chosen += [(kernel, dtype, 8192, True, True) for kernel in full for dtype in ("fp32", "fp16")]
    teaching_kernels = (
        teaching.sum_of_squares_statistics, teaching.two_pass_statistics, teaching.welford_statistics,
        teaching.float16_mean_square, teaching.two_read_layer_norm,
    )  # fmt: skip
    return chosen + [(kernel, "fp16", 4096, True, True) for kernel in teaching_kernels]


def compile_for(
    kernel: JITFunction[Any], dtype: str, n: int, full: bool, aligned: bool, target: str
) -> tuple[Any, launch.Tile]:
    """The kernel as `launch` would launch it for N columns on that target."""
    if kernel is backward.norm_backward_columns:
        tile = launch.columns_tile(ROWS, interpreted=False)
    elif "backward" in kernel.__name__:
        tile = launch.backward_tile(ROWS, n, interpreted=False)
    else:
        most_warps = 16 if target.startswith("hip") else 32
        tile = launch.forward_tile(ROWS, n, interpreted=False, most_warps=most_warps)
    if kernel.__name__ in ("norm_forward", "norm_backward"):
        assert not tile.wide, f"{kernel.__name__} is not what runs for N = {n}"
    constants: dict[str, Any] = {"CENTER": full, "BLOCK_M": tile.block_m, "BLOCK_N": tile.block_n, "LANES": 1}
    if kernel.__module__ == teaching.__name__:
        constants["BLOCK_N"], tile = teaching.BLOCK, launch.Tile(1, teaching.BLOCK)
    if not full:
        constants |= (
            dict.fromkeys(("RESIDUAL", "BIAS", "H", "DH", "DBIAS", "MEAN"))
            if "forward" in kernel.__name__
            else (dict.fromkeys(("DH", "DBIAS", "MEAN")))
        )
    types = {"rows": "i32", "N": "i32", "eps": "fp32"} | dict.fromkeys(FLOAT32, "*fp32")
    signature, attributes = {}, {}
    for place, name in enumerate(kernel.arg_names):
        if name in constants:
            signature[name] = "constexpr"
            continue
        signature[name] = types.get(name, "i32" if name.endswith("stride") else POINTERS[dtype])
        is_pointer = signature[name].startswith("*")
        if is_pointer or (aligned and (name == "N" or name.endswith("stride"))):
            attributes[(place,)] = [["tt.divisibility", 16]]
    constants = {name: value for name, value in constants.items() if name in kernel.arg_names}
    backend, _, arch = target.partition(":")
    gpu = GPUTarget("cuda", int(arch), 32) if backend == "cuda" else GPUTarget("hip", arch, WAVE[arch])
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
    return triton.compile(source, target=gpu, options={"num_warps": tile.num_warps}), tile


def resources(compiled: Any) -> dict[str, int]:
    """Registers of a thread, what it spills (bytes, or registers on AMD), bytes of the binary and of shared memory."""
    shared = compiled.metadata.shared
    if "cubin" in compiled.asm:
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(compiled.asm["cubin"])
            file.flush()
            usage = subprocess.run(
                [CUOBJDUMP, "-res-usage", file.name], capture_output=True, text=True, check=True
            ).stdout
        registers, stack = re.search(r"REG:(\d+) STACK:(\d+)", usage).groups()
        return {
            "registers": int(registers),
            "spilled": int(stack),
            "binary": len(compiled.asm["cubin"]),
            "shared": shared,
        }
    text = compiled.asm["amdgcn"]
    registers, spilled = (
        int(re.search(rf"\.{key}:\s*(\d+)", text).group(1)) for key in ("vgpr_count", "vgpr_spill_count")
    )
    return {"registers": registers, "spilled": spilled, "binary": len(compiled.asm["hsaco"]), "shared": shared}


def main() -> None:
    for target in sys.argv[1:]:
        for kernel, dtype, n, full, aligned in cases(target):
            compiled, tile = compile_for(kernel, dtype, n, full, aligned, target)
            about = {
                "kernel": kernel.__name__,
                "target": target,
                "dtype": dtype,
                "n": n,
                "full": full,
                "aligned": aligned,
            }
            print(json.dumps(about | {"warps": tile.num_warps} | resources(compiled)), flush=True)


if __name__ == "__main__":
    main()

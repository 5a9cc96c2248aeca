"""How fast the norms are: `python -m kernels.bench`, which `normtutor bench` runs.

On a GPU: the GB/s of every operation by our Triton kernels, torch eager, torch.compile and, where it is installed,
Liger, against a device copy measured in the same run. On a CPU: Triton's interpreter against torch, which says what the
interpreter costs and nothing about the kernels. Importing this loads no torch: only measuring does.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from kernels.curve import Curve
from kernels.plot import draw

GPU_COLUMNS = (1024, 2048, 4096, 8192, 16384, 32768)
CPU_COLUMNS = (256, 1024, 4096)
GPU_ELEMENTS, CPU_ELEMENTS = 2**26, 2**18
GPU_REPEATS, CPU_REPEATS = 30, 5
DTYPES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}
NOTES = {
    "compiled": "Median by CUDA events, the L2 cache overwritten before each run. GB/s counts each tensor once, "
    "weights included and statistics not, and is compared with copying the same rows.",
    "interpreter": "No GPU: Triton's interpreter runs the kernels in Python. These figures say what it costs beside "
    "torch on this CPU, and nothing about the kernels on a GPU.",
}

Progress = Callable[[int, int], None]


def main(argv: list[str] | None = None) -> int:
    """Measure and print; 0 done, 1 when an implementation returned a wrong result, 2 wrong use."""
    options = _parser().parse_args(argv)
    try:
        result = measure(options, _report)
    except ValueError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(json.dumps(result, allow_nan=False) if options.json else text(result))
    for wrong in result["errors"]:
        print(wrong, file=sys.stderr)
    return 1 if result["errors"] else 0


def measure(options: argparse.Namespace, progress: Progress = lambda _done, _total: None) -> dict[str, Any]:
    """The document: device, mode, note, rows (one a measurement) and what went wrong, in `errors` and `skipped`.

    Raises ValueError for an operation or an implementation that there is not.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that wait by spinning are slow on a busy machine
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"  # before anything imports triton
    from kernels import bench_work as work

    implementations = work.implementations(device)
    elements = options.elements or (GPU_ELEMENTS if device.type == "cuda" else CPU_ELEMENTS)
    columns = options.columns or (GPU_COLUMNS if device.type == "cuda" else CPU_COLUMNS)
    dtypes = options.dtypes or (("bf16", "fp32") if device.type == "cuda" else ("fp32",))
    ops = _known("operation", options.ops, work.ops())
    backends = _known("implementation", options.backends, tuple(implementations))
    shapes = [(dtype, n) for dtype in dtypes for n in columns]
    chosen = [
        (op, backend)
        for op in ops
        for backend, functions in implementations.items()
        if op.removesuffix(work.BACKWARD) in functions and backend in backends
    ]
    result: dict[str, Any] = {
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "CPU",
        "mode": "compiled" if device.type == "cuda" else "interpreter",
        "note": NOTES["compiled" if device.type == "cuda" else "interpreter"],
        "torch": torch.__version__,
        "rows": [],
        "errors": [],
        "skipped": [],
    }
    for i, (dtype, n) in enumerate(shapes):
        rows = max(1, elements // n)
        inputs = work.Inputs(rows, n, getattr(torch, DTYPES[dtype]), device)
        copy: dict[str, Any] = {}
        for j, (op, backend) in enumerate([("copy", "torch"), *chosen]):
            progress(i * (len(chosen) + 1) + j, len(shapes) * (len(chosen) + 1))
            about = {"op": op, "backend": backend, "dtype": dtype, "rows": rows, "columns": n}
            try:
                row, error = _row(about, implementations, inputs, copy)
            except torch.OutOfMemoryError:
                result["skipped"].append(about | {"why": "not enough memory on the device"})
                continue
            copy = copy or row
            result["rows"].append(row)
            result["errors"] += [f"{backend}, {dtype}, {rows} x {n}: {error}"] if error else []
    return result


def _known(kind: str, asked: tuple[str, ...] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    unknown = set(asked or ()) - set(known)
    if unknown:
        raise ValueError(f"there is no {kind} {', '.join(sorted(unknown))} here; there are {', '.join(known)}")
    return asked or known


def _row(
    about: dict[str, Any], implementations: dict[str, dict[str, Any]], inputs: Any, copy: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """One measurement and what is wrong with its result, looked at after timing; "" when nothing is."""
    from kernels import bench_timer
    from kernels import bench_work as work

    op, backend, x = about["op"], about["backend"], inputs.x
    if op == "copy":
        target = x.clone()
        call: Callable[[], Any] = lambda: target.copy_(x)  # noqa: E731
    else:
        call = work.prepare(backend, implementations[backend][op.removesuffix(work.BACKWARD)], op, inputs)
    seconds = bench_timer.seconds(call, x.device, GPU_REPEATS if x.is_cuda else CPU_REPEATS)
    error = "" if op == "copy" else work.wrong(op, call(), inputs)
    moved = work.bytes_moved(op, about["rows"], about["columns"], x.element_size())
    speed = moved / seconds / 1e9
    row = about | {"seconds": seconds, "bytes": moved, "gb_per_s": speed}
    return row | {"of_copy": speed / copy["gb_per_s"] if copy else 1.0}, error


def text(result: dict[str, Any], width: int = 78, height: int = 20, marker: str = "braille") -> str:
    """The document as tables and a plot."""
    head = [f"{result['device']} · torch {result['torch']}", *textwrap.wrap(result["note"], width)]
    skipped = [f"skipped: {' '.join(str(value) for value in each.values())}" for each in result["skipped"]]
    return "\n".join([*head, *tables(result), "", *skipped, plot(result, width, height, marker)])


def tables(result: dict[str, Any]) -> Iterator[str]:
    """A table for each operation and dtype: a line a width, a column a backend."""
    rows = result["rows"]
    interpreted = result["mode"] == "interpreter"
    for op, dtype in dict.fromkeys((row["op"], row["dtype"]) for row in rows if row["op"] != "copy"):
        shown = [row for row in rows if row["op"] in ("copy", op) and row["dtype"] == dtype]
        backends = tuple(dict.fromkeys(map(_label, shown)))
        yield ""
        yield f"{op}, {dtype}, {'ms' if interpreted else 'GB/s and share of the copy'}"
        yield f"{'N':>7} {'rows':>7}" + "".join(f" {backend:>12}" for backend in backends)
        for n in dict.fromkeys(row["columns"] for row in shown):
            line = {_label(row): row for row in shown if row["columns"] == n}
            values = [_figure(line.get(backend), interpreted) for backend in backends]
            yield f"{n:>7} {next(iter(line.values()))['rows']:>7}" + "".join(f" {value:>12}" for value in values)


def plot(result: dict[str, Any], width: int, height: int, marker: str = "braille") -> str:
    """GB/s over the width of a row by backend, for the first operation and dtype that were measured."""
    first = next((row for row in result["rows"] if row["op"] != "copy"), None)
    if first is None:
        return ""
    op, dtype = first["op"], first["dtype"]
    shown = [row for row in result["rows"] if row["op"] in (op, "copy") and row["dtype"] == dtype]
    curves = []
    for backend in dict.fromkeys(map(_label, shown)):
        points = [row for row in shown if _label(row) == backend]
        x, y = (tuple(float(row[key]) for row in points) for key in ("columns", "gb_per_s"))
        curves.append(Curve(backend, x, y, x_label="N", y_label="GB/s"))
    log_y = result["mode"] == "interpreter"  # it is a hundred times slower
    return draw(curves, width, height, log_x=True, log_y=log_y, title=f"{op}, {dtype}", marker=marker)


def _label(row: dict[str, Any]) -> str:
    return "copy" if row["op"] == "copy" else str(row["backend"])


def _figure(row: dict[str, Any] | None, interpreted: bool) -> str:
    if row is None:
        return "-"
    return f"{row['seconds'] * 1e3:.3g}" if interpreted else f"{row['gb_per_s']:.0f} {row['of_copy']:4.0%}"


def _report(done: int, total: int) -> None:
    print(f"progress {done}/{total}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    def names(text: str) -> tuple[str, ...]:
        return tuple(name.strip() for name in text.split(",") if name.strip())

    def positive(text: str) -> int:
        number = int(text)
        if number < 1:
            raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
        return number

    def numbers(text: str) -> tuple[int, ...]:
        return tuple(positive(name) for name in names(text))

    def dtypes(text: str) -> tuple[str, ...]:
        unknown = set(names(text)) - DTYPES.keys()
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(DTYPES)}")
        return names(text)

    parser = argparse.ArgumentParser(prog="python -m kernels.bench", description="Measure the norm kernels.")
    parser.add_argument("--op", dest="ops", type=names, metavar="A,B", help="operations, such as rms_norm; all")
    parser.add_argument("--backend", dest="backends", type=names, metavar="A,B", help="such as triton,compile; all")
    parser.add_argument("--dtype", dest="dtypes", type=dtypes, metavar="A,B", help="of bf16, fp16, fp32")
    parser.add_argument("--columns", type=numbers, metavar="N,N", help="widths of a row")
    parser.add_argument("--elements", type=positive, metavar="N", help="elements of a matrix, rows times columns")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""`normtutor bench`: runs `kernels.bench` in a child, and prints its tables and a plot."""

from __future__ import annotations

import argparse
import os
import shutil

from tutor.commands.support import FINE, FOUND, add_output_options, print_json, say
from tutor.text.i18n import _

WIDTH, LARGEST_WIDTH = 78, 120
OPTIONS = ("op", "backend", "dtype", "columns", "elements")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `bench` to the command line. What is not given, `kernels.bench` chooses for the device."""
    parser = subparsers.add_parser(
        "bench", help=_("measure the norm kernels against torch and against copying memory on this machine")
    )
    parser.add_argument("--op", metavar="A,B", help=_("operations, such as rms_norm,rms_norm_backward"))
    parser.add_argument("--backend", metavar="A,B", help=_("implementations, such as triton,compile"))
    parser.add_argument("--dtype", metavar="A,B", help=_("of bf16, fp16 and fp32"))
    parser.add_argument("--columns", metavar="N,N", help=_("widths of a row"))
    parser.add_argument("--elements", metavar="N", help=_("elements of a matrix, rows times columns"))
    add_output_options(parser, json_help=_("one JSON document: the device and a row a measurement"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measures and prints; 1 when an implementation returned a wrong result."""
    import asyncio

    from tutor.commands.experiment import run_module

    options = [f"--{name}={getattr(args, name)}" for name in OPTIONS if getattr(args, name) is not None]
    result = asyncio.run(run_module("kernels.bench", "bench", ["--json", *options]))
    if args.json:
        print_json(result)
    else:
        from kernels import bench

        width = min(shutil.get_terminal_size((WIDTH, 24)).columns, LARGEST_WIDTH)
        notes = {
            "compiled": _(
                "Median by CUDA events, the L2 cache overwritten before each run. GB/s counts each tensor once, "
                "weights included and statistics not, and is compared with copying the same rows."
            ),
            "interpreter": _(
                "No GPU: Triton's interpreter runs the kernels in Python. These figures say what it costs beside "
                "torch on this CPU, and nothing about the kernels on a GPU."
            ),
        }
        result["note"] = notes[result["mode"]]
        say(bench.text(result, width, marker="hd" if os.environ.get("TERM") == "linux" else "braille"))
        say(*result["errors"], error=True)
    return FOUND if result["errors"] else FINE

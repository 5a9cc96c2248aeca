"""The start of the lab's process, run as a script: `kernels.lab`, whatever else is called `kernels` here.

argv: the module of `kernels.lab` whose `main` is to run, and its arguments.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def main() -> None:
    """Runs the module until it ends."""
    package = Path(__file__).resolve().parents[3] / "kernels"
    spec = spec_from_file_location("kernels", package / "__init__.py", submodule_search_locations=[str(package)])
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["kernels"] = module
    spec.loader.exec_module(module)
    import_module(f"kernels.lab.{sys.argv.pop(1)}").main()


if __name__ == "__main__":
    main()

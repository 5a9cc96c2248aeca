"""The start of the judge's process, run as a script: `kernels.judge`, whatever else is called `kernels` here.

argv: the directory that was made for this process. It goes with it, for the tutor may have been killed meanwhile.
"""

from __future__ import annotations

import os
import shutil
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def main() -> None:
    """Serves orders until standard input ends."""
    root = Path(__file__).resolve().parents[3]
    package = root / "kernels"
    spec = spec_from_file_location("kernels", package / "__init__.py", submodule_search_locations=[str(package)])
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["kernels"] = module
    spec.loader.exec_module(module)
    judge, directory = os.getpid(), Path(sys.argv[1])
    try:
        import_module("kernels.judge.__main__").main()
    finally:
        if os.getpid() == judge:  # and no process below it
            shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()

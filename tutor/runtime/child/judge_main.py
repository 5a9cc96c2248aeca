"""The start of the judge's process, run as a script: `kernels.judge`, whatever else is called `kernels` here."""

from __future__ import annotations

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
    import_module("kernels.judge.__main__").main()


if __name__ == "__main__":
    main()

"""`python -m tutor` is `normtutor`."""

import sys

from tutor.cli import main

sys.exit(main())

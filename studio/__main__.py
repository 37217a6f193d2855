"""`python -m studio` is `rhapsode`."""

import sys

from studio.cli import main

sys.exit(main())

"""``python -m dpwitness``."""

from __future__ import annotations

import sys

from dpwitness.cli import main

if __name__ == "__main__":
    sys.exit(main())

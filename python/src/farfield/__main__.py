"""The command line: `python -m farfield`, and the script `farfield` that pip installs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

command = Path(__file__).parent / "bin" / "farfield"


def main() -> int:
    if not command.exists():
        print("farfield: this package was built without the command line; install CLI11, fmt, nlohmann-json, zlib and "
              "libpng, and the package again", file=sys.stderr)
        return 4
    os.execv(command, ["farfield", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

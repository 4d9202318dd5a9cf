"""Entry point of ``python -m osmofuse``, the command line."""

import signal
import sys
from os import getcwd

# Until the command line listens, an interrupt ends the process, and prints no traceback.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

# Python puts the current folder first, where a json.py among the pictures would be imported.
if not sys.flags.safe_path and sys.path[:1] == [getcwd()]:
    del sys.path[0]

from osmofuse.cli import main

if __name__ == "__main__":
    main()

"""Let ``python -m osmofuse`` be the command line."""

from osmofuse.cli import main

if __name__ == "__main__":
    main()

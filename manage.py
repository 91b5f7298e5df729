#!/usr/bin/env python
"""The command line of Gradus."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        sys.exit(f"The database cannot be used ({str(error).strip().splitlines()[0]}). Start it, or correct DATABASE_URL.")


if __name__ == "__main__":
    main()

#!/usr/bin/env python
"""The command line of Gradus."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    from django.core.management import execute_from_command_line

    from autograder.library.command import DATABASE_ERRORS, about_database

    try:
        execute_from_command_line(sys.argv)
    except DATABASE_ERRORS as error:
        sys.exit(about_database(error))


if __name__ == "__main__":
    main()

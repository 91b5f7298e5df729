"""`python -m tools.capacity`: estimates the capacity that a deadline needs, by simulation with measured service times."""

import os
import sys

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    django.setup()
    from tools.capacity.command import main

    sys.exit(main(sys.argv[1:]))

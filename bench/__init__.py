"""Benchmarks: `python -m bench.NAME`, each with figures measured in one run and what they must reach."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")

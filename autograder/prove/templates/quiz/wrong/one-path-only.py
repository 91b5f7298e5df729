# TODO(author): one file for each mistake, named after it
"""Treats one of the two occurrences of b as a constant."""

answers = {"slope": 3.0, "paths": 1, "doubles": True}

# TODO(author): a file for each mistake; its name says which
"""b is taken for a constant where it stands outside the brackets, or inside."""

answers = {"slope": 3.0, "paths": 1, "doubles": True}

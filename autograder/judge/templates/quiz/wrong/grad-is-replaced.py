"""A backward pass is taken to replace what .grad held before."""

answers = {"slope": 8.0, "paths": 2, "doubles": False}

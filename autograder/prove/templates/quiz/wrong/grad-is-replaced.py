"""Assumes that a backward pass replaces the previous .grad."""

answers = {"slope": 8.0, "paths": 2, "doubles": False}

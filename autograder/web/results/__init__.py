"""Presentation of a grading: what each viewer may see, its wording, and the comparison of expected and given values."""

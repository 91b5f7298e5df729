"""Explains a graded submission: which mistake gives its answers, the smallest input that shows it, and what to do about it.

Nothing here decides a verdict. The judge imports none of it, and explanations never depend on the linter (`prove`).
"""

"""A grading as somebody may see it: what is shown to whom, the words for it, and the two sides of a comparison."""

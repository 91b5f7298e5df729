"""Answers by column instead of by row: one string of sixteen marks for each property, read downwards."""

# t1 to t16, in groups of four
IS_LEAF = "++-+ +-++ +++- ++-+"
REQUIRES_GRAD = "-+++ ++-- -+++ +-+-"
NO_GRAD_FN = IS_LEAF  # what has no history is a leaf, whether somebody asked for a gradient or not

columns = (column.replace(" ", "") for column in (IS_LEAF, REQUIRES_GRAD, NO_GRAD_FN))
rows = enumerate(zip(*columns, strict=True), start=1)
answers = {f"t{number}": [mark == "+" for mark in marks] for number, marks in rows}
answers |= {"t17": "none", "t18": "none", "t19": "zeros"}

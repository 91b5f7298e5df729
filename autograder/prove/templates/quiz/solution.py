# TODO(author): the answers
"""Two paths lead to b, and their contributions add up: b + (a + b)."""

answers = {
    "slope": 8.0,
    "paths": 2,
    "doubles": True,
}

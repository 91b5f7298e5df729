def build_one(a, b):
    """3 * (a*b + b) * (a*b), with the graph of the statement."""
    raise NotImplementedError("your part")


def build_two(a):
    """sum(exp(a)^2), with the graph of the statement."""
    raise NotImplementedError("your part")

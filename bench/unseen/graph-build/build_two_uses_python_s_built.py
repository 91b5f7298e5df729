# Held out. Mistake: build_two uses Python's built-in sum, which adds the entries one by one: a chain of Add nodes instead of one Sum node
# True: another-formula
def build_one(a, b):
    ab = a * b
    return (ab + b) * ab * 3


def build_two(a):
    exp_a = a.exp()
    squares = exp_a * exp_a
    return sum(squares)

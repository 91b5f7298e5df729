# Held out. Mistake: build_two uses square(), which is recorded as a power (PowBackward0) and not as a product of a node with itself
# True: pow-for-product
def build_one(a, b):
    n3 = a * b
    n2 = n3 + b
    n1 = n2 * n3
    n0 = n1 * 3
    return n0


def build_two(a):
    n2 = a.exp()
    n1 = n2.square()
    n0 = n1.sum()
    return n0

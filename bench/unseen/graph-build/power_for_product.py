# Held out. Mistake: the square is a power
# True: pow-for-product
def build_one(a, b):
    ab = a * b
    return 3 * ((ab + b) * ab)


def build_two(a):
    return (a.exp() ** 2).sum()

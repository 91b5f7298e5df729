# Held out. Mistake: in build_one the 3 stands in front, so it multiplies the sum first and not the whole product last
# True: reassociated
def build_one(a, b):
    ab = a * b                      # one node, used twice
    return 3 * (ab + b) * ab


def build_two(a):
    e = a.exp()
    return (e * e).sum()

# Held out. Mistake: build_one writes a * b twice, so there are two Mul nodes for it instead of one shared node
# True: lost-sharing
def build_one(a, b):
    return ((a * b + b) * (a * b)) * 3


def build_two(a):
    e = a.exp()
    return (e * e).sum()

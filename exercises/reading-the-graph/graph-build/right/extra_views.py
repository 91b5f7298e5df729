"""Additional views, which only change shapes."""


def build_one(a, b):
    column = b.unsqueeze(1)
    ab = a.view(-1, 1) * column
    both = ((ab + column) * ab).T
    return (3 * both).squeeze(0)


def build_two(a):
    e = a.reshape(1, -1).exp()
    return (e.expand(1, -1) * e.t().permute(1, 0)).sum()

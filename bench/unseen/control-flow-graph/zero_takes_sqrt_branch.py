# Held out. Mistake: x = 0 takes the branch with the square root, whose derivative is infinite there, so the gradient at 0 is 0 * inf = nan.
# True: wrong-kink-value
import torch


def piecewise(x):
    if x.item() >= 0:
        return x * torch.sqrt(x)
    return x * x


def grow(x, limit):
    h = x
    n = 0
    while n < 50 and h.norm().item() <= limit:
        h = 1.5 * h + h.sin()
        n += 1
    return h, n

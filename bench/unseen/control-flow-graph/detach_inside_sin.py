# Held out. Mistake: the sine in grow is taken of h.detach(), so its derivative cos(h) is missing and each step multiplies the gradient by 1.5 only.
# True: detached-branch
import torch


def piecewise(x):
    """x * sqrt(x) where x > 0, and x^2 elsewhere."""
    positive = bool(x > 0)
    if positive:
        return x ** 1.5
    else:
        return x ** 2


def grow(x, limit):
    """Replaces h by 1.5 * h + sin(h) until its norm exceeds limit, at most 50 times."""
    h = x
    for steps in range(50):
        current = h.detach()
        if torch.linalg.vector_norm(current) > limit:
            return h, steps
        h = 1.5 * h + torch.sin(current)
    return h, 50

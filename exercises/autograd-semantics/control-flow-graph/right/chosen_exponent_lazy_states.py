"""The branch chooses only an exponent, and the loop is a lazy sequence of states from which the first long one is taken."""

import itertools
import math


def piecewise(x):
    return x.abs() ** (1.5 if x > 0 else 2)


def grow(x, limit):
    states = itertools.accumulate(range(50), lambda h, _: 1.5 * h + h.sin(), initial=x)
    for steps, h in enumerate(states):
        if not math.hypot(*h.tolist()) <= limit:
            break
    return h, steps

"""einsum is linear in each operand: an entry of the gradient is the dot product of g with the result for a unit operand."""

import string

import numpy as np


def einsum_vjp(g, spec, *operands):
    terms = spec.replace("->", ",").split(",")
    new = next(letter for letter in string.ascii_letters if letter not in spec)
    found = []
    for n, x in enumerate(operands):
        units = np.eye(x.size).reshape((x.size,) + x.shape)
        arrays = list(operands) + [g]
        arrays[n] = units
        left = ",".join(new + term if m == n else term for m, term in enumerate(terms))
        found.append(np.einsum(left + "->" + new, *arrays).reshape(x.shape))
    return tuple(found)

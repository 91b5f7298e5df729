"""The term of the operand comes after the arrow, with its repeated letters."""

import numpy as np


def gradient(g, out, terms, operands, n):
    term, x = terms[n], operands[n]
    letters, lengths = term, x.shape
    pairs = [(out, g), (letters, np.ones(lengths))]
    pairs += [(t, y) for i, (t, y) in enumerate(zip(terms, operands)) if i != n]
    value = np.einsum(",".join(t for t, _ in pairs) + "->" + letters, *(y for _, y in pairs))
    return np.asarray(value)


def einsum_vjp(g, spec, *operands):
    *terms, out = spec.replace("->", ",").split(",")
    return tuple(gradient(g, out, terms, operands, n) for n in range(len(operands)))

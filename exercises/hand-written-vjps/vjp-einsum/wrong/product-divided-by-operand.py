"""The product of all operands is computed once and divided by each of them."""

import numpy as np


def gradient(g, out, terms, operands, n):
    term, x = terms[n], operands[n]
    letters = "".join(dict.fromkeys(term))
    lengths = tuple(x.shape[term.index(c)] for c in letters)
    pairs = [(out, g), (letters, np.ones(lengths))]
    pairs += [(t, y) for i, (t, y) in enumerate(zip(terms, operands))]
    value = np.einsum(",".join(t for t, _ in pairs) + "->" + letters, *(y for _, y in pairs))
    dx = np.zeros(x.shape)
    for index in np.ndindex(*lengths):
        at = dict(zip(letters, index))
        place = tuple(at[c] for c in term)
        dx[place] = value[index] / x[place]
    return dx


def einsum_vjp(g, spec, *operands):
    *terms, out = spec.replace("->", ",").split(",")
    return tuple(gradient(g, out, terms, operands, n) for n in range(len(operands)))

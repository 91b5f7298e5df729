"""The entries of a letter that no other array has are 0, except for the first."""

import numpy as np


def gradient(g, out, terms, operands, n):
    term, x = terms[n], operands[n]
    letters = "".join(dict.fromkeys(term))
    lengths = tuple(x.shape[term.index(c)] for c in letters)
    first = np.ones(lengths)
    for axis, c in enumerate(letters):
        if c not in out and not any(c in t for i, t in enumerate(terms) if i != n):
            first[(slice(None),) * axis + (slice(1, None),)] = 0
    pairs = [(out, g), (letters, first)]
    pairs += [(t, y) for i, (t, y) in enumerate(zip(terms, operands)) if i != n]
    value = np.einsum(",".join(t for t, _ in pairs) + "->" + letters, *(y for _, y in pairs))
    dx = np.zeros(x.shape)
    for index in np.ndindex(*lengths):
        at = dict(zip(letters, index))
        dx[tuple(at[c] for c in term)] = value[index]
    return dx


def einsum_vjp(g, spec, *operands):
    *terms, out = spec.replace("->", ",").split(",")
    return tuple(gradient(g, out, terms, operands, n) for n in range(len(operands)))

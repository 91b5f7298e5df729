"""The term of the result is replaced by the term of the operand, and g is left out."""

import numpy as np


def gradient(g, out, terms, operands, n):
    term, x = terms[n], operands[n]
    letters = "".join(dict.fromkeys(term))
    lengths = tuple(x.shape[term.index(c)] for c in letters)
    pairs = [(letters, np.ones(lengths))]
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

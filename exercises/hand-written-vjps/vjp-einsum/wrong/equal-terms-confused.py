"""The other operands are those with another term."""

import numpy as np


def einsum_vjp(g, spec, *operands):
    left, out = spec.split("->")
    terms = left.split(",")
    grads = []
    for n in range(len(operands)):
        term, x = terms[n], operands[n]
        other_terms = [t for t in terms if t != term]
        others = [y for t, y in zip(terms, operands) if t != term]
        unique = "".join(sorted(set(term), key=term.index))
        shape = [x.shape[term.index(c)] for c in unique]
        known = "".join(c for c in unique if c in out or any(c in t for t in other_terms))
        d = np.einsum(",".join([out] + other_terms) + "->" + known, g, *others)
        d = np.reshape(d, [s if c in known else 1 for c, s in zip(unique, shape)])
        where = dict(zip(unique, np.indices(shape)))
        full = np.zeros(x.shape)
        full[tuple(where[c] for c in term)] = np.broadcast_to(d, shape)
        grads.append(full)
    return tuple(grads)

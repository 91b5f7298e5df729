# Held out. Mistake: the other operands are those whose term differs from the term of the operand, so in specs such as "i,i->" or "ij,ij->ij" a factor with an equal term is missing from the gradient.
# True: equal-terms-confused
import numpy as np


def einsum_vjp(g: np.ndarray, spec: str, *operands: np.ndarray) -> tuple[np.ndarray, ...]:
    inputs, result = spec.split("->")
    terms = inputs.split(",")
    return tuple(gradient(g, result, terms, operands, term, x) for term, x in zip(terms, operands))


def gradient(g, result, terms, operands, term, x):
    rest = [(t, a) for t, a in zip(terms, operands) if t != term]
    size = dict(zip(term, x.shape))
    letters = "".join(dict.fromkeys(term))

    names = [result] + [t for t, _ in rest]
    arrays = [g] + [a for _, a in rest]
    for c in letters:
        if c not in "".join(names):
            names.append(c)  # a vector of ones tells einsum the size
            arrays.append(np.ones(size[c]))
    # letters of equal terms are in no other array, but they are among the ones
    compact = np.einsum(",".join(names) + "->" + letters, *arrays)

    full = np.zeros(x.shape)
    if letters == term:
        full[...] = compact
    else:
        index = np.indices(compact.shape)
        full[tuple(index[letters.index(c)] for c in term)] = compact
    return full

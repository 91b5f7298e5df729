"""The truth is the definition: a table of all combinations of indices, and what each of them sends to each operand."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, fail, variety
from autograder.judge.checks.backward_cost import MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, expect_tuple, same_answer
from autograder.judge.diagnosis import forward_of, raises, symptom

Shape = tuple[int, ...]

SIZES = {"b": 2, "i": 3, "j": 4, "k": 2, "l": 5, "m": 3}


def terms_of(spec: str) -> tuple[list[str], str]:
    inputs, output = spec.split("->")
    return inputs.split(","), output


def truth(g: Numbers, spec: str, *operands: Numbers) -> tuple[Numbers, ...]:
    """No einsum: each array is looked up in a table with one axis for each letter."""
    terms, output = terms_of(spec)
    sizes = {
        letter: size for term, x in zip(terms, operands, strict=True) for letter, size in zip(term, x.shape, strict=True)
    }
    table = tuple(sizes.values())
    index = dict(zip(sizes, np.indices(table), strict=True))

    def looked_up(values: Numbers, term: str) -> Numbers:
        return np.broadcast_to(values[tuple(index[letter] for letter in term)], table)

    factors = [looked_up(x, term) for x, term in zip(operands, terms, strict=True)]
    gradients = []
    for place, (x, term) in enumerate(zip(operands, terms, strict=True)):
        sent = prod((*factors[:place], *factors[place + 1 :]), start=looked_up(g, output))
        target = looked_up(np.arange(x.size).reshape(x.shape), term)
        total = np.bincount(target.reshape(-1), sent.reshape(-1), minlength=x.size)
        gradients.append(total.astype(np.float64).reshape(x.shape))
    return tuple(gradients)


def numbers(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Of size one and of both signs. Where there is room for more, one of them is 0."""
    values = np.asarray(rng.uniform(0.4, 1.9, shape) * rng.choice([-1.0, 1.0], shape))
    if values.size > 4:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def shape_of(term: str, sizes: dict[str, int]) -> Shape:
    return tuple(sizes[letter] for letter in term)


def expect_einsum(student: Student, rng: np.random.Generator, specs: Sequence[str], trials: int = 2, **sizes: int) -> None:
    """Some sizes can differ from the usual ones."""
    for number, spec in enumerate(specs):
        terms, output = terms_of(spec)
        sizes = SIZES | sizes
        operands = [numbers(rng, shape_of(term, sizes)) for term in terms]
        for trial in range(trials):
            g = upstream(rng, shape_of(output, sizes))
            if trial and g.size > 2:
                g.flat[int(rng.integers(g.size))] = 0.0
            expect_gradients(student, g, spec, operands, LAYOUTS[(number + trial) % len(LAYOUTS)])


def expect_gradients(student: Student, g: Numbers, spec: str, operands: Sequence[Numbers], layout: str) -> None:
    sent = [array(values, layout=layout) for values in (g, *operands)]
    arguments = {"g": g, **{f"operand {n}": x for n, x in enumerate(operands, 1)}}
    answer, again = (student.call("einsum_vjp", sent[0], spec, *sent[1:]) for _ in range(2))
    if not same_answer(answer, again):
        message = "einsum_vjp returned different results for two calls with the same arguments."
        raise fail(message, "second call with the same arguments", arguments)
    expect_tuple(answer, len(operands), "einsum_vjp", arguments)
    for n, (given, right) in enumerate(zip(answer, truth(g, spec, *operands), strict=True), 1):
        expect_close(given, right, f'einsum_vjp: the gradient with respect to operand {n} of "{spec}"', arguments, VJP)


@check("Two matrices in any order", points=1.5)
def two_matrices(student: Student, rng: np.random.Generator) -> None:
    expect_einsum(student, rng, ["ij,jk->ik", "ij,kj->ki", "ji,kj->ik"])


@check("One operand, or three", points=1.5)
def one_or_three(student: Student, rng: np.random.Generator) -> None:
    expect_einsum(student, rng, ["ij->ji", "ijk->kij", "i,ij,j->", "ij,jk,kl->il"])


@check("A letter that only one operand has", points=1.5)
def letter_of_one_operand(student: Student, rng: np.random.Generator) -> None:
    expect_einsum(student, rng, ["ij->i", "ij,i->i", "ij,jk->i"])


@check("Batches, outer products and results in any order", points=1, hidden=True)
def any_order(student: Student, rng: np.random.Generator) -> None:
    specs = ["bij,bjk->bik", "i,j->ji", "ijk,jl->lki", "ij,ij->ji", "mbij,mbkj->bmik", "jki,l,bk->lbij", "ijk->kji"]
    expect_einsum(student, rng, [*specs, "j,ji->ij", "kji,jk->i", "lij,j->jil"])
    expect_einsum(student, rng, ["ij,jk->ik", "ij,jk->ki", "ijk->kij", "ji,kj->ik"], i=3, j=3, k=3)


@check("Letters that only one operand has, in any position", points=1, hidden=True)
def letters_of_one_operand(student: Student, rng: np.random.Generator) -> None:
    specs = [
        "ij->j",
        "ij->",
        "ijk->j",
        "jik->ki",
        "ij,kl->k",
        "i,j->",
        "ij,jkl->ki",
        "i,j,k->j",
        "lij,b,jk->b",
        "kj,ij,l->ki",
    ]
    expect_einsum(student, rng, specs)
    expect_einsum(student, rng, ["ij->i", "ij->j", "ijk->ki", "ij,jk->k"], i=3, j=3, k=3)


@check("Four and five operands, and operands with equal letters", points=1, hidden=True)
def many_operands(student: Student, rng: np.random.Generator) -> None:
    specs = ["i,i->", "i,i->i", "ij,ij->i", "ij,jk,ij->k", "i,i,i->i", "i,j,i,j->ij", "ij,jk,kl,lm->im", "b,k,bk,kb,ki->i"]
    expect_einsum(student, rng, [*specs, "i,j,k,b,m->mkjbi", "ij,ji->", "ij,ij,ij,ij,ij->j"])
    x = numbers(rng, (3, 3))
    for spec in ("ij,jk->ik", "ij,ij->", "ij,ji->ij", "ij,jk,ki->"):
        operands = [x] * len(terms_of(spec)[0])
        expect_gradients(student, upstream(rng, (3,) * len(terms_of(spec)[1])), spec, operands, "contiguous")


@check("Letters that occur several times in an operand", points=1.5, hidden=True)
def repeated_letters(student: Student, rng: np.random.Generator) -> None:
    specs = ["ii->i", "ii->", "iij->j", "iji->ji", "jii->ij", "iii->i", "ijij->ij", "ii,i->i", "ijj,jk->ik", "iik,jj->k"]
    expect_einsum(student, rng, [*specs, "ijji->i", "ii,ij,jj->ij", "ii,jj->ij", "kiji->jk"])


@check("Terms without letters, and letters of both cases", points=1, hidden=True)
def unusual_terms(student: Student, rng: np.random.Generator) -> None:
    expect_einsum(student, rng, ["->", ",->", ",i->i", "ij,,j->i", "i,->", ",,->", ",ii->i"], trials=3)
    expect_einsum(student, rng, ["Ij,ji->iI", "aA,Ab->ba", "zYx,Y->xz", "ZzZ->z"], I=2, a=2, A=3, z=2, Y=3, x=4, Z=2)


@check("Sizes 1 and 0", points=1, hidden=True)
def single_and_empty(student: Student, rng: np.random.Generator) -> None:
    specs = ["ij,jk->ik", "ij->j", "ij->", "ij,ij->i", "i,j->ij", "iij->j", "i,ij,j->"]
    expect_einsum(student, rng, specs, j=1)
    expect_einsum(student, rng, specs, i=1)
    expect_einsum(student, rng, specs, trials=1, i=1, j=1, k=1)
    expect_einsum(student, rng, specs, trials=1, j=0)
    expect_einsum(student, rng, specs, trials=1, i=0)


@check("The gradients of large operands, at the cost of a few forward passes", points=3, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def row_products(g: Numbers, inputs: Inputs) -> Any:
        return student.call("einsum_vjp", array(g), "ij,ij->i", *map(array, inputs.values()))

    operands = {f"operand {n}": rng.normal(size=(MANY // 10, 10)) for n in (1, 2)}
    expect_cheap_vjp(student, "einsum_vjp", lambda a, b: np.einsum("ij,ij->i", a, b), operands, rng, ask=row_products)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(6):
        letters = [str(letter) for letter in rng.choice(list("ijkIz"), size=int(rng.integers(1, 5)), replace=False)]
        sizes = {letter: int(rng.choice(4, p=[0.08, 0.22, 0.3, 0.4])) for letter in letters}
        terms = [
            "".join(rng.choice(letters, size=int(rng.integers(4)), replace=len(letters) < 3 or bool(rng.random() < 0.3)))
            for _ in range(int(rng.integers(1, 5)))
        ]
        used = [letter for letter in letters if any(letter in term for term in terms)]
        output = "".join(str(letter) for letter in rng.permutation(used)[: int(rng.integers(len(used) + 1))])
        shapes = [shape_of(term, sizes) for term in (output, *terms)]
        g, *operands = (np.asarray(numbers(rng, shape) * (rng.random(shape) < 0.9)) for shape in shapes)
        layout = str(rng.choice(LAYOUTS))
        sent = [array(values, layout=layout) for values in (g, *operands)]
        student.call_and_see("einsum_vjp", sent[0], f"{','.join(terms)}->{output}", *sent[1:])


# -- explanations ----------------------------------------------------------------------------------------------------------


def forward(spec: str, *operands: Any) -> Any:
    """Products of arrays with one axis for each letter, and a sum."""
    terms, output = terms_of(spec)
    letters = "".join(dict.fromkeys("".join(terms)))
    product = None
    for x, term in zip(operands, terms, strict=True):
        for letter in term:
            while term.count(letter) > 1:
                one, two = term.index(letter), term.rindex(letter)
                x = x.diagonal(dim1=one, dim2=two)
                term = term[:one] + term[one + 1 : two] + term[two + 1 :] + letter
        own = [letter for letter in letters if letter in term]
        x = x.permute([term.index(letter) for letter in own])
        x = x.reshape([x.shape[own.index(letter)] if letter in own else 1 for letter in letters])
        product = x if product is None else product * x
    summed = [n for n, letter in enumerate(letters) if letter not in output]
    total = product.sum(summed) if summed else product
    left = [letter for letter in letters if letter in output]
    return total.permute([left.index(letter) for letter in output])


forward_of("einsum_vjp", forward, split=lambda g, spec, *operands: (g, (spec, *operands)))
symptom("broadcast-forgotten", raises("never appeared in an input", "did not appear in the input"), raised=True)
symptom("diagonal-not-handled", raises("multiple times", "more than once in the output"), raised=True)
for where in ("one-or-three", "many-operands"):
    symptom("two-operands-only", raises("unpack", "positional argument", "out of range"), check=where, raised=True)

"""The truth goes from query to query. Only allowed keys are looked at, and each gradient is a sum over pairs of them."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, to_numpy, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, ask_unchanged, expect_tuple
from autograder.judge.diagnosis import forward_of, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]
Mask = Numbers | None


def allowed(mask: Mask, q: Numbers, k: Numbers) -> Numbers:
    """The mask for each query and key of the batch."""
    return np.broadcast_to(True if mask is None else mask, (*q.shape[:-1], k.shape[-2]))


def row_weights(query: Numbers, keys: Numbers) -> Numbers:
    """One over the sum of exp of differences of scores, which needs no shift."""
    scores = keys @ query / len(query) ** 0.5
    with np.errstate(over="ignore"):  # exp(+large) is inf, and one over that is the right 0
        return np.asarray(1 / np.exp(scores[None, :] - scores[:, None]).sum(axis=1))


def attention_truth(q: Numbers, k: Numbers, v: Numbers, mask: Mask = None) -> Numbers:
    out, open_to = np.zeros((*q.shape[:-1], v.shape[-1])), allowed(mask, q, k)
    for place in np.ndindex(*q.shape[:-1]):
        seen = np.flatnonzero(open_to[place])
        if seen.size:
            out[place] = row_weights(q[place], k[place[:-1]][seen]) @ v[place[:-1]][seen]
    return out


def attention_vjp_truth(g: Numbers, q: Numbers, k: Numbers, v: Numbers, mask: Mask = None) -> tuple[Numbers, ...]:
    """The derivative of p_a with respect to score b is p_a (1 - p_a) for a = b, and -p_a p_b otherwise."""
    dq, dk, dv = (np.zeros(x.shape) for x in (q, k, v))
    open_to = allowed(mask, q, k)
    for place in np.ndindex(*q.shape[:-1]):
        batch, seen = place[:-1], np.flatnonzero(open_to[place])
        if seen.size:
            p = row_weights(q[place], k[batch][seen])
            jacobian = np.diag(p) - np.outer(p, p)
            ds = jacobian @ (v[batch][seen] @ g[place]) / q.shape[-1] ** 0.5
            dq[place] = ds @ k[batch][seen]
            dk[batch][seen] += np.outer(ds, q[place])
            dv[batch][seen] += np.outer(p, g[place])
    return dq, dk, dv


class Layer:
    """Queries, keys and values for a batch, with a mask."""

    def __init__(
        self,
        rng: np.random.Generator,
        sizes: Shape,
        *,
        batch: Shape = (),
        mask: Mask = None,
        scale: float = 1.0,
        shift: float = 0.0,
    ) -> None:
        """`sizes` are L, S, d and e. The scores have about the size `scale`, and are moved by `shift`."""
        queries, keys, d, e = sizes
        q, k, v = (np.asarray(rng.normal(size=(*batch, *shape))) for shape in ((queries, d), (keys, d), (keys, e)))
        if shift:  # one direction that all queries and keys share gives all scores about the same value
            q[..., 0], k[..., 0] = np.sqrt(abs(shift)) * d**0.25, np.sign(shift) * np.sqrt(abs(shift)) * d**0.25
        self.q, self.k, self.v, self.mask = scale * q, k, v, mask
        for values in (self.q, self.k, self.v):
            if values.size > 2 and not shift:
                values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])

    @property
    def inputs(self) -> dict[str, Numbers]:
        return {"q": self.q, "k": self.k, "v": self.v}

    @property
    def described(self) -> str:
        shapes = ", ".join(f"{label}{value.shape}" for label, value in self.inputs.items())
        return shapes if self.mask is None else f"{shapes}, mask{self.mask.shape}"


def expect_attention(student: Student, rng: np.random.Generator, layers: list[Layer], *, values: bool = True) -> None:
    """The value and all three gradients, under a random upstream with a 0."""
    for number, layer in enumerate(layers):
        layout = LAYOUTS[number % len(LAYOUTS)]
        options = {} if layer.mask is None else {"mask": layer.mask}
        truth = attention_truth(**layer.inputs, mask=layer.mask)
        shown = layer.inputs | options
        if values:
            answer = ask_unchanged(student, "attention", layer.inputs, layout, options)
            expect_close(answer, truth, f"attention for {layer.described}", shown, VJP)
        g = upstream(rng, truth.shape)
        if g.size > 2:
            g.flat[int(rng.integers(g.size))] = 0.0
        arguments = {"g": g, **layer.inputs}
        gradients = ask_unchanged(student, "attention_vjp", arguments, LAYOUTS[(number + 1) % len(LAYOUTS)], options)
        expect_tuple(gradients, 3, "attention_vjp", arguments | options)
        truths = attention_vjp_truth(**arguments, mask=layer.mask)
        for label, given, right in zip(layer.inputs, gradients, truths, strict=True):
            what = f"attention_vjp: the gradient with respect to {label} for {layer.described}"
            expect_close(given, right, what, arguments | options, VJP)


def random_mask(rng: np.random.Generator, *shape: int, share: float = 0.6) -> Numbers:
    """At least one allowed key in each row, and at least one blocked key where there are two."""
    mask = np.asarray(rng.random(shape) < share)
    rows = mask.reshape(-1, shape[-1])
    for row in rows:
        one, other = rng.permutation(shape[-1])[:2] if shape[-1] > 1 else (0, 0)
        row[other], row[one] = False, True
    return rows.reshape(shape)


def with_empty_row(rng: np.random.Generator, *shape: int) -> Numbers:
    mask = random_mask(rng, *shape)
    mask.reshape(-1, shape[-1])[int(rng.integers(np.prod(shape[:-1])))] = False
    return mask


@check("The value and the gradients without a mask", points=2.5)
def no_mask(student: Student, rng: np.random.Generator) -> None:
    expect_attention(student, rng, [Layer(rng, (3, 4, 2, 5)), Layer(rng, (3, 3, 4, 4))])


@check("A mask that leaves some keys to each query", points=1.5)
def some_masked(student: Student, rng: np.random.Generator) -> None:
    expect_attention(student, rng, [Layer(rng, (3, 4, 2, 3), mask=random_mask(rng, 3, 4)) for _ in range(2)])


@check("A batch", points=1)
def a_batch(student: Student, rng: np.random.Generator) -> None:
    expect_attention(student, rng, [Layer(rng, (3, 4, 2, 5), batch=(2,))])


@check("Sizes of all kinds, including 1 and equal ones", points=2, hidden=True)
def all_sizes(student: Student, rng: np.random.Generator) -> None:
    sizes = [(3, 3, 3, 3), (4, 2, 3, 1), (2, 5, 1, 3), (1, 4, 3, 2), (4, 1, 2, 3), (1, 1, 1, 1), (2, 2, 2, 5), (5, 3, 9, 2)]
    expect_attention(student, rng, [Layer(rng, one) for one in sizes])


@check("Batch axes: two of them, sizes of 1, and sizes equal to others", points=2, hidden=True)
def batches(student: Student, rng: np.random.Generator) -> None:
    batches: list[Shape] = [(3,), (2, 3), (1,), (2, 1), (4, 4)]
    layers = [Layer(rng, (3, 4, 2, 5), batch=batch) for batch in batches]
    expect_attention(student, rng, [*layers, Layer(rng, (3, 3, 3, 3), batch=(3, 3)), Layer(rng, (1, 4, 2, 1), batch=(2,))])


@check("Masks of every shape that broadcasts, and the triangular mask", points=2, hidden=True)
def masks(student: Student, rng: np.random.Generator) -> None:
    triangle = np.tril(np.ones((4, 4), dtype=bool))
    layers = [
        Layer(rng, (4, 4, 2, 3), mask=triangle),
        Layer(rng, (4, 4, 2, 3), batch=(2, 3), mask=triangle),
        Layer(rng, (3, 4, 2, 3), mask=random_mask(rng, 1, 4)),
        Layer(rng, (3, 4, 2, 3), batch=(2,), mask=random_mask(rng, 4)),
        Layer(rng, (3, 4, 2, 3), batch=(2,), mask=random_mask(rng, 2, 1, 4)),
        Layer(rng, (3, 4, 2, 3), batch=(2, 3), mask=random_mask(rng, 2, 1, 3, 4)),
        Layer(rng, (3, 4, 2, 3), batch=(2,), mask=random_mask(rng, 3, 4)),
        Layer(rng, (3, 2, 2, 3), batch=(3,), mask=np.ones((1, 1), dtype=bool)),
    ]
    expect_attention(student, rng, layers)


@check("Queries that may not attend to any key", points=2, hidden=True)
def empty_rows(student: Student, rng: np.random.Generator) -> None:
    some = rng.permutation([True, False, True])[:, None]
    layers = [
        Layer(rng, (3, 4, 2, 3), mask=with_empty_row(rng, 3, 4)),
        Layer(rng, (3, 4, 2, 3), batch=(2,), mask=with_empty_row(rng, 2, 3, 4)),
        Layer(rng, (3, 4, 2, 3), batch=(2,), mask=some),
        Layer(rng, (3, 1, 2, 3), mask=some),
        Layer(rng, (3, 4, 2, 3), mask=with_empty_row(rng, 3, 4), scale=300.0),
    ]
    expect_attention(student, rng, layers)


@check("Nothing may be attended to at all", points=0.5, hidden=True, fixed="all results are 0")
def all_masked(student: Student, rng: np.random.Generator) -> None:
    layers = [
        Layer(rng, (3, 4, 2, 3), mask=np.zeros((3, 4), dtype=bool)),
        Layer(rng, (1, 2, 2, 3), mask=np.zeros((), dtype=bool)),
    ]
    expect_attention(student, rng, layers)


@check("Scores of size 1e4, of either sign, also with a mask", points=2.5, hidden=True)
def large_scores(student: Student, rng: np.random.Generator) -> None:
    """Rows of one level, where the weights are of size one; and steep rows, where one key wins."""
    layers = [
        *(Layer(rng, (3, 4, 2, 3), shift=shift) for shift in (9e3, -9e3)),
        *(Layer(rng, (3, 4, 5, 2), shift=shift, mask=random_mask(rng, 3, 4)) for shift in (9e3, -9e3)),
        Layer(rng, (3, 4, 2, 3), shift=-9e3, mask=with_empty_row(rng, 3, 4)),
        Layer(rng, (4, 3, 3, 2), scale=20.0),
        levels(rng),
        blocked_above(rng),
    ]
    expect_attention(student, rng, layers)


def levels(rng: np.random.Generator) -> Layer:
    """The scores of one query are large, those of the next are very negative, and those of the third are ordinary."""
    layer = Layer(rng, (3, 4, 2, 3))
    layer.k[:, 0] = 1.0
    layer.q[:, 0] = rng.permutation([1.3e4, -1.3e4, 0.5])
    return layer


def blocked_above(rng: np.random.Generator) -> Layer:
    """The scores of blocked keys are so large that the others vanish beside them."""
    layer = Layer(rng, (3, 4, 2, 3), mask=random_mask(rng, 4))
    layer.k[:, 0] = np.where(layer.mask, -1.0, 1.0)
    layer.q[:, 0] = 9e3
    return layer


def plain(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    scores = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    e = np.exp(scores - scores.real.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True) @ v)


@check("The gradients of a large batch, at the cost of a few forward passes", points=4, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (Layer(rng, (16, 16, 16, 16), batch=(n // 768,)).inputs for n in (FEW, MANY))
    expect_cheap_vjp(student, "attention_vjp", plain, many, rng, few=few)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        batch = tuple(int(n) for n in rng.integers(1, 4, size=int(rng.integers(0, 3))))
        sizes = tuple(int(n) for n in rng.integers(1, 5, size=4))
        mask: Mask = None
        if rng.random() < 0.7:
            shape = [n if rng.random() < 0.7 else 1 for n in (*batch, *sizes[:2])]
            mask = np.asarray(rng.random(shape[int(rng.integers(len(shape))) :]) < rng.choice([0.0, 0.4, 0.8]))
        shift = float(rng.choice([0.0, 0.0, 9e3, -9e3]))
        layer = Layer(
            rng, sizes, batch=batch, mask=mask, scale=1.0 if shift else float(rng.choice([1.0, 30.0])), shift=shift
        )
        g = np.asarray(rng.normal(size=(*batch, sizes[0], sizes[3])))
        g *= rng.random(g.shape) < 0.8
        options = {} if mask is None else {"mask": mask}
        layout = str(rng.choice(LAYOUTS))
        sent = [array(value, layout=layout) for value in (g, *layer.inputs.values())]
        student.call_and_see("attention", *sent[1:], **options)
        student.call_and_see("attention_vjp", *sent, **options)


def forward(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """In primitive steps, on tensors. A row without allowed keys is divided by 1."""
    import torch

    scores = q.matmul(k.transpose(-1, -2)) * (1 / q.shape[-1] ** 0.5)
    keys = torch.from_numpy(np.array(True if mask is None else to_numpy(mask))).expand(scores.shape)
    blocked = ~keys
    peak = scores.detach().masked_fill(blocked, -torch.inf).amax(-1, keepdim=True)
    e = (scores - peak.masked_fill(peak.isneginf(), 0.0)).masked_fill(blocked, -torch.inf).exp()
    total = e.sum(-1, keepdim=True)
    return (e / total.masked_fill(total == 0, 1.0)).matmul(v)


def undefined(right: Any, given: Any) -> bool:
    """nan or inf in some numbers, and no other mistake."""
    pairs = [(right, given)] if isinstance(right, Array) else list(zip(right, given, strict=True))
    numbers = [
        (to_numpy(one), to_numpy(other)) for one, other in pairs if isinstance(other, Array) and one.shape == other.shape
    ]
    if len(numbers) < len(pairs):
        return False
    odd = [~np.isfinite(answer) for _, answer in numbers]
    return any(map(np.any, odd)) and all(np.allclose(a[~n], t[~n]) for (t, a), n in zip(numbers, odd, strict=True))


forward_of("attention_vjp", forward)
for where in ("empty-rows", "all-masked"):
    symptom("nan-on-masked-row", undefined, check=where)

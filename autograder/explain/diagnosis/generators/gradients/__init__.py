"""Explains wrong gradients by rerunning the author's trusted forward function with one mistake per hypothesis.

Edges of the graph are cut, negated or doubled; upstream gradients and local derivatives are replaced; copies are averaged or
regrouped where they should be summed. No student code runs. A hypothesis accounts for a check if, for each input of the
forward function, either every gradient in every trial is right or every one is predicted, and at least one input's gradients
are predicted.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import torch

from autograder.explain.diagnosis.evidence import Evidence, Leaf, MistakeClaim, Pair, Path
from autograder.explain.diagnosis.fingerprint import equal
from autograder.explain.diagnosis.generators.gradients import backward_edits, formulas
from autograder.judge.arrays import Numbers, to_numpy, to_torch
from autograder.judge.diagnosis import Declared, first_is_upstream
from sandbox.wire import Array

MAX_FORWARDS = 4000  # runs of a changed forward function in one search

Predicted = Sequence[Numbers | None] | None
Predict = Callable[["GradientQuestion"], Predicted]


@dataclass(frozen=True)
class Hypothesis:
    operator: str
    note: str
    predict: Predict


@dataclass(frozen=True)
class GradientQuestion:
    """One question about gradients: forward function, inputs, upstream, and the path of each input's gradient in the answer."""

    forward: Callable[..., Any]
    inputs: tuple[Any, ...]
    upstream: Any
    places: tuple[Path, ...]
    pair: Pair
    name: str = ""

    @property
    def right(self) -> bool:
        return not any(leaf.path in self.places for leaf in self.pair.wrong)


def claims(evidence: Evidence, forwards: int = MAX_FORWARDS) -> list[MistakeClaim]:
    """The changed forward functions that account for the answers, as far as the limit on runs allows."""
    left = forwards
    found: dict[tuple[str, str], list[str]] = {}
    for check, pairs in evidence.pairs.items():
        questions = [question for pair in pairs for question in questions_of(pair, evidence.declared)]
        wrong = next((question for question in questions if not question.right), None)
        answered = [pair for pair in pairs if not pair.agrees and pair.wrong]
        if wrong is None or not evidence.every_seed(answered) or not _all_asked(pairs, questions):
            continue
        # hypotheses for other checks first: where the rows of H add up to 0, several formulas agree
        for hypothesis in sorted(hypotheses_for(wrong), key=lambda h: (h.operator, h.note) not in found):
            if left <= 0:
                break
            left -= 1
            if not holds(hypothesis, [wrong]):
                continue
            left -= len(questions)
            if holds(hypothesis, questions):
                found.setdefault((hypothesis.operator, hypothesis.note), []).append(check)
                break
    edited = [MistakeClaim((operator,), tuple(checks), "edited-answers", note) for (operator, note), checks in found.items()]
    return edited + formulas.claims_of_values(evidence)


def holds(hypothesis: Hypothesis, questions: Sequence[GradientQuestion]) -> bool:
    states: dict[tuple[str, int], list[bool]] = {}  # for each input: may all be right, may all be predicted
    name = next(question.name for question in questions if not question.right)
    for question in questions:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                predicted = hypothesis.predict(question)
            except (RuntimeError, ValueError, IndexError, TypeError, AttributeError):  # the edit does not apply here
                if question.name == name:
                    return False
                predicted = ()
        leaves = {leaf.path: leaf for leaf in question.pair.leaves}
        for n, place in enumerate(question.places):
            leaf = leaves.get(place)
            if leaf is None or predicted is None:
                return False
            state = states.setdefault((question.name, n), [True, True])
            state[0] = state[0] and leaf.agrees
            state[1] = state[1] and _equal(predicted[n] if n < len(predicted) else None, leaf)
    return all(any(state) for state in states.values()) and not all(state[0] for state in states.values())


def _equal(predicted: Numbers | None, leaf: Leaf) -> bool:
    """Whether the given gradient has the predicted numbers. No edit of the forward function accounts for a wrong dtype."""
    if predicted is None or not isinstance(leaf.given, Array) or leaf.given.dtype != getattr(leaf.right, "dtype", None):
        return False
    return equal(to_numpy(leaf.given), predicted)


def _all_asked(pairs: Sequence[Pair], questions: Sequence[GradientQuestion]) -> bool:
    """Whether the declared forward functions cover all wrong arrays; counts are ignored."""
    places = {(id(question.pair), place) for question in questions for place in question.places}
    return all(
        (id(pair), leaf.path) in places for pair in pairs for leaf in pair.wrong if type(leaf.right) is not int
    ) and all(pair.given.raised is None for pair in pairs)


# -- what was asked ----------------------------------------------------------------------------------------------------


def questions_of(pair: Pair, declared: Declared) -> list[GradientQuestion]:
    """The questions of a pair; None if no declaration covers it or the arguments do not fit."""
    try:
        return _questions(pair, declared)
    except (LookupError, TypeError, ValueError, RuntimeError, AttributeError):
        return []


def _questions(pair: Pair, declared: Declared) -> list[GradientQuestion]:
    what, name = pair.given.question
    if what == "op" and name in ("function.vjp", "function.backward"):
        declaration = declared.forwards.get(str(pair.given.options.get("name")))
        if declaration is None:
            return []
        prefix = (1,) if name == "function.vjp" else ()
        return [
            GradientQuestion(
                declaration.forward, _tensors(xs), _tensors(gs)[0], tuple((k, *prefix, n) for n in range(len(xs))), pair
            )
            for k, (xs, gs) in enumerate(pair.given.args[0])
        ]
    if name in declared.forwards and what in ("call", "probe"):
        declaration = declared.forwards[name]
        options = pair.given.options
        default = declaration.split is first_is_upstream  # keyword arguments are then passed to the forward function
        upstream, inputs = declaration.split(*_tensors(pair.given.args), **({} if default else options))
        forward = partial(declaration.forward, **(options if default else {}))
        signature(forward).bind(*inputs)  # the name may be that of the function itself, which is called without an upstream
        several = isinstance(pair.right.value, list | tuple)
        places: tuple[Path, ...] = tuple((n,) for n in range(len(pair.right.value))) if several else ((),)
        return [GradientQuestion(forward, tuple(inputs), upstream, places, pair, name)]
    if name in declared.second_orders:
        product = declared.second_orders[name]
        f, x, v = product.build(*_leaves(pair.given.args))
        return [GradientQuestion(f, (x,), v, (product.answer,), pair)]
    return []


def _tensors(values: Any) -> tuple[Any, ...]:
    return tuple(_tensor(value) for value in values)


def _tensor(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().to(torch.float64) if value.is_floating_point() else value
    if isinstance(value, Array):
        return _tensor(to_torch(value))
    if isinstance(value, np.ndarray | np.generic):
        return _tensor(torch.from_numpy(np.array(value)))
    return value


def _leaves(values: Any) -> tuple[Any, ...]:
    return tuple(
        v.requires_grad_() if isinstance(v, torch.Tensor) and v.is_floating_point() else v for v in _tensors(values)
    )


# -- hypotheses --------------------------------------------------------------------------------------------------------


def hypotheses_for(question: GradientQuestion) -> list[Hypothesis]:
    """The applicable hypotheses: about second derivatives, copies, the upstream, and each edge of the forward graph."""
    if question.upstream is not None and question.places and len(question.inputs) == 1 and _asks_product(question):
        return [Hypothesis(o, w, _second(f)) for o, w, f in formulas.FORMULAS]
    found = [Hypothesis(o, w, _copies(edit)) for o, w, edit in backward_edits.COPIES]
    found += [Hypothesis(o, w, _upstream(edit)) for o, w, edit in backward_edits.UPSTREAMS]
    if len(question.inputs) == 1:
        found.append(Hypothesis("output-for-input", "the gradient at the result instead of the argument", _at_the_result))
    for operation, operand in backward_edits.edges(question.forward, _differentiable(question.inputs)):
        for operator, words, make in backward_edits.EDGES:
            note = f"{words}: step {operation + 1}, operand {operand + 1}"
            found.append(Hypothesis(operator, note, _edge(operation, operand, make)))
    return found


def _asks_product(question: GradientQuestion) -> bool:
    return isinstance(question.inputs[0], torch.Tensor) and question.inputs[0].requires_grad


def _differentiable(inputs: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(
        x.detach().clone().requires_grad_() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs
    )


def _gradients(output: torch.Tensor, inputs: Sequence[Any], upstream: Any) -> list[Numbers | None]:
    wanted = [x for x in inputs if isinstance(x, torch.Tensor) and x.requires_grad]
    if not output.requires_grad:
        return [np.zeros(tuple(x.shape)) for x in wanted]
    grads = torch.autograd.grad(output, wanted, upstream, allow_unused=True)
    return [np.zeros(tuple(x.shape)) if g is None else g.detach().numpy() for g, x in zip(grads, wanted, strict=True)]


def _upstream(edit: Callable[[torch.Tensor], torch.Tensor]) -> Predict:
    def predict(question: GradientQuestion) -> Predicted:
        inputs = _differentiable(question.inputs)
        return _gradients(question.forward(*inputs), inputs, edit(question.upstream))

    return predict


def _at_the_result(question: GradientQuestion) -> Predicted:
    inputs = _differentiable(question.inputs)
    result = question.forward(*inputs).detach()
    if result.shape != inputs[0].shape:
        raise ValueError("no argument has this shape")
    at = result.to(inputs[0].dtype).requires_grad_()
    return _gradients(question.forward(at), (at,), question.upstream)


def _copies(edit: Callable[[Numbers, tuple[int, ...]], Numbers | None]) -> Predict:
    """Gradients with respect to inputs that are broadcast before an elementwise forward, reduced in the wrong way."""

    def predict(question: GradientQuestion) -> Predicted:
        shape = question.upstream.shape
        full = _differentiable([x.expand(shape) if isinstance(x, torch.Tensor) else x for x in question.inputs])
        grads = _gradients(question.forward(*full), full, question.upstream)
        shapes = [tuple(x.shape) for x in question.inputs if isinstance(x, torch.Tensor)]
        results: list[Numbers | None] = []
        for grad, target in zip(grads, shapes, strict=True):
            assert grad is not None
            results.append(np.zeros(target) if grad.size == 0 else edit(grad, target))
        return results

    return predict


def _edge(operation: int, operand: int, make: backward_edits.Make) -> Predict:
    def predict(question: GradientQuestion) -> Predicted:
        inputs = _differentiable(question.inputs)
        with backward_edits.Editing(operation, operand, make):
            output = question.forward(*inputs)
        return _gradients(output, inputs, question.upstream)

    return predict


def _second(formula: Callable[[Callable[[Any], Any], Any, Any], Any]) -> Predict:
    def predict(question: GradientQuestion) -> Predicted:
        x, v = question.inputs[0], question.upstream
        return [formula(question.forward, x, v).detach().reshape(x.shape).numpy()]

    return predict


def _warm() -> None:
    """Runs a backward pass in advance, because the first one of a process takes a second."""
    x = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    for operation, operand in backward_edits.edges(lambda t: t * t, (x,)):
        for _, _, make in backward_edits.EDGES[:8]:
            with backward_edits.Editing(operation, operand, make):
                y = x * x
            _gradients(y, (x,), x.detach())  # an explicit upstream makes torch import further modules
    for _, _, formula in formulas.FORMULAS:
        formula(lambda t: (t.sin() * t.exp()).sum() + (t @ t).sum(), x, x.detach())


_warm()

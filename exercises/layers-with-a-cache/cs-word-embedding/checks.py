"""The value is the product of one-hot rows with the table; the gradient is its complex step."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.backward_cost import SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.layers import (
    Call,
    Layer,
    ask_layer,
    expect_backward,
    expect_forward,
    input_modified,
    layer_gradients,
    only_last_call_right,
    upstream_modified,
)
from autograder.judge.diagnosis import symptom


def value(x: Numbers, W: Numbers) -> Any:
    return np.tensordot(x[..., None] == np.arange(len(W)), W, axes=1)


EMBEDDING = Layer("word_embedding_forward", "word_embedding_backward", value, constant=("x",))


def call(rng: np.random.Generator, x: Any, words: int, size: int) -> Call:
    """Where there is room for more, one number of the table is 0."""
    W = np.asarray(rng.normal(size=(words, size)))
    if W.size > 2:
        W.flat[int(rng.integers(W.size))] = rng.choice([0.0, -0.0])
    return Call({"x": np.asarray(x, dtype=np.int64), "W": W})


def distinct(rng: np.random.Generator, n: int, t: int, words: int, size: int) -> Call:
    """No word occurs twice. Word 0 and the last word occur."""
    others = rng.permutation(np.arange(1, words - 1))[: n * t - 2]
    return call(rng, rng.permutation([0, words - 1, *others]).reshape(n, t), words, size)


def repeated(rng: np.random.Generator, n: int, t: int, words: int, size: int) -> Call:
    """Any words. If there are more places than words, some occur several times."""
    return call(rng, rng.integers(words, size=(n, t)), words, size)


def in_rows_and_columns(rng: np.random.Generator, words: int, size: int) -> Call:
    """One word twice in a row, one twice in a column, and one that is not there: neither the first nor the last."""
    a, b, c, absent = rng.permutation(np.arange(1, words - 1))[:4]
    x = np.array([[a, a, b, 0], [c, words - 1, b, a]])
    assert absent not in x
    return call(rng, x[:, rng.permutation(4)], words, size)


def last_words_absent(rng: np.random.Generator, words: int, size: int) -> Call:
    return call(rng, rng.integers(words - 2, size=(2, 4)), words, size)


def sequences(rng: np.random.Generator) -> list[Call]:
    return [in_rows_and_columns(rng, *sizes) for sizes in ((7, 3), (6, 2), (9, 4))]


@check("The value", points=1)
def plain_value(student: Student, rng: np.random.Generator) -> None:
    sizes = [(2, 3, 7, 4), (3, 2, 6, 2), (2, 4, 9, 3)]
    expect_forward(student, EMBEDDING, [distinct(rng, *each) for each in sizes] + sequences(rng))


@check("The gradient for different words", points=1.5)
def gradient_of_distinct_words(student: Student, rng: np.random.Generator) -> None:
    sizes = [(2, 3, 7, 4), (3, 2, 8, 2), (2, 4, 10, 3)]
    expect_backward(student, EMBEDDING, [distinct(rng, *each) for each in sizes], rng)


@check("The gradient for words that occur several times", points=1.5)
def gradient_of_repeated_words(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, EMBEDDING, sequences(rng), rng)


OTHERS = [(1, 5, 3, 2), (4, 1, 2, 3), (3, 3, 3, 3), (1, 1, 1, 1), (2, 3, 1, 2), (3, 4, 5, 1), (2, 2, 2, 2), (1, 1, 4, 3)]


def of_all_sizes(rng: np.random.Generator) -> list[Call]:
    absent = [last_words_absent(rng, 6, 3), last_words_absent(rng, 5, 2), last_words_absent(rng, 7, 1)]
    return [repeated(rng, *sizes) for sizes in OTHERS] + absent


@check("The value for all sizes", points=1, hidden=True)
def value_of_all_sizes(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, EMBEDDING, of_all_sizes(rng))


@check("The gradient for all sizes", points=1.5, hidden=True)
def gradient_of_all_sizes(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, EMBEDDING, of_all_sizes(rng), rng)


@check("One layer, several times", points=1.5, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, EMBEDDING, [in_rows_and_columns(rng, 7, 3) for _ in range(4)], rng)


@check("The gradient of a large table, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    x = rng.integers(100, size=(40, 50))

    def gradient(g: Numbers, inputs: Inputs) -> Any:
        return layer_gradients(student, EMBEDDING)(g, {"x": x, **inputs})

    few, many = ({"W": rng.normal(size=(words, 20))} for words in (125, 1000))
    expect_cheap_vjp(student, "word_embedding_backward", lambda W: W[x], many, rng, few=few, ask=gradient)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        ask_layer(student, EMBEDDING, [repeated(rng, *(int(size) for size in rng.integers(1, 5, size=4)))], rng)
    ask_layer(student, EMBEDDING, sequences(rng), rng)


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")

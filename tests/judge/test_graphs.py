"""Backward graphs: one spelling for every torch, equality up to numbering and commuted operands, sharing kept."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.graphs import (
    Graph,
    Node,
    canonical,
    draw,
    expect_graph,
    export,
    of_tensor,
    plain_name,
    read,
    same,
)
from autograder.judge.checks.student import Student

Enter = Callable[..., Student]
Write = Callable[..., torch.Tensor]


def leaves(shape: tuple[int, ...] = (2, 2)) -> dict[str, torch.Tensor]:
    return {name: torch.full(shape, value, requires_grad=True) for name, value in (("a", 1.5), ("b", 2.5), ("c", 3.5))}


def graph(write: Write, shape: tuple[int, ...] = (2, 2)) -> Graph:
    values = leaves(shape)
    return of_tensor(write(**values), values)


def alike(one: Write, other: Write) -> bool:
    return same(canonical(graph(one)), canonical(graph(other)))


# -- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("MulBackward0", "Mul"),
        ("MulBackward12", "Mul"),
        ("AccumulateGrad", "AccumulateGrad"),
        ("struct torch::autograd::AccumulateGrad", "AccumulateGrad"),
        ("torch::autograd::generated::AddBackward0", "Add"),
        ("CubicBackward", "Cubic"),
        ("Backward", "Backward"),
        ("", ""),
    ],
)
def test_a_name_loses_its_namespace_and_version(written: str, plain: str) -> None:
    assert plain_name(written) == plain


# -- what is the same ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda a, b, c: a + b, lambda a, b, c: b + a),
        (lambda a, b, c: a * b + c, lambda a, b, c: c + b * a),
        (lambda a, b, c: torch.maximum(a, b), lambda a, b, c: torch.maximum(b, a)),
        (lambda a, b, c: a * 2, lambda a, b, c: a * 3),
        (lambda a, b, c: a * 2, lambda a, b, c: 2 * a),
        (lambda a, b, c: a.T @ b, lambda a, b, c: a.mT @ b),
        (lambda a, b, c: (a * b).reshape(4), lambda a, b, c: (a * b).view(4)),
        (lambda a, b, c: (a * b)[None].sum(), lambda a, b, c: (a * b).sum()),
        (lambda a, b, c: (a * b).expand(3, 2, 2) * c, lambda a, b, c: a * b * c),
    ],
    ids=["sum", "nested", "maximum", "constants", "sides", "transposes", "views", "unsqueezed", "expanded"],
)
def test_other_spellings_of_one_graph_are_the_same(one: Write, other: Write) -> None:
    assert alike(one, other)


def squares(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    s1, s2 = a + b, a + b
    return s1 * s1 + s2 * s2


def products(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    s1, s2 = a + b, a + b
    return s1 * s2 + s1 * s2


def crossed(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    s1, s2 = a + b, a + b
    return s1 * s2 + s2 * s1


def shared(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    s = a * b
    return s.exp() + s


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda a, b, c: a - b, lambda a, b, c: b - a),
        (lambda a, b, c: a / b, lambda a, b, c: b / a),
        (lambda a, b, c: a @ b, lambda a, b, c: b @ a),
        (lambda a, b, c: a + b, lambda a, b, c: a * b),
        (lambda a, b, c: a + b, lambda a, b, c: a + c),
        (lambda a, b, c: a * a, lambda a, b, c: a**2),
        (lambda a, b, c: a + 1, lambda a, b, c: a + a),
        (lambda a, b, c: 1 - a, lambda a, b, c: -a + 1),
        (lambda a, b, c: (a + b) + c, lambda a, b, c: a + (b + c)),
        (shared, lambda a, b, c: (a * b).exp() + a * b),
        (squares, products),
        (lambda a, b, c: a * b, lambda a, b, c: a.detach() * b),
        (lambda a, b, c: a.exp(), lambda a, b, c: a.exp().exp()),
        (lambda a, b, c: a, lambda a, b, c: a * 1),
    ],
)
def test_other_graphs_are_not(one: Write, other: Write) -> None:
    assert not alike(one, other)
    assert alike(one, one) and alike(other, other)


def test_squares_and_products_have_as_many_nodes_of_every_name() -> None:
    assert sorted(graph(squares).names) == sorted(graph(products).names)


def test_crossed_operands_of_two_twins_are_the_same() -> None:
    assert alike(products, crossed)


def test_the_output_number_counts() -> None:
    first = lambda a, b, c: torch.stack([a, b]).unbind(0)[0].exp()  # noqa: E731
    second = lambda a, b, c: torch.stack([a, b]).unbind(0)[1].exp()  # noqa: E731
    assert alike(first, first) and not alike(first, second)


def test_the_output_numbers_of_two_twins_are_not_exchanged() -> None:
    """One twin is used a second time: which of its outputs goes into the sum tells the graphs apart."""
    rest = (
        Node("Exp", None, ((3, 0),)),
        Node("Split", None, ((5, 0),)),
        Node("Split", None, ((5, 0),)),
        Node("Leaf", "a", ()),
    )
    root = Node("Sub", None, ((1, 0), (2, 0)))
    one, other = (Graph(0, (root, rest[0], Node("Add", None, ((3, first), (4, 1 - first))), *rest[1:])) for first in (0, 1))
    assert same(one, one) and not same(one, other)


def test_a_constant_is_an_empty_slot() -> None:
    assert canonical(graph(lambda a, b, c: a * 2)).nodes[0].slots[1] == (None, 0)


def test_the_side_of_a_constant_counts_where_operands_do_not_commute() -> None:
    leaf = Node("AccumulateGrad", "a", ())
    left, right = ((1, 0), (None, 0)), ((None, 0), (1, 0))
    assert not same(Graph(0, (Node("Div", None, left), leaf)), Graph(0, (Node("Div", None, right), leaf)))


def test_views_are_kept_when_they_are_asked_for() -> None:
    view, plain = graph(lambda a, b, c: (a * b).view(4).sum()), graph(lambda a, b, c: (a * b).sum())
    assert same(canonical(view), canonical(plain))
    assert not same(canonical(view, drop_views=False), canonical(plain, drop_views=False))


def test_aliases_are_one_name_even_where_views_are_kept() -> None:
    one, other = graph(lambda a, b, c: a.T @ b), graph(lambda a, b, c: a.mT @ b)
    assert same(canonical(one, drop_views=False), canonical(other, drop_views=False))


def test_a_view_of_a_leaf_is_the_leaf() -> None:
    assert canonical(graph(lambda a, b, c: a.view(4))) == Graph(0, (Node("AccumulateGrad", "a", ()),))


def test_a_tensor_without_history_has_no_graph() -> None:
    nothing = graph(lambda a, b, c: a.detach())
    assert nothing == Graph(None, ())
    assert same(canonical(nothing), canonical(nothing))
    assert not same(canonical(nothing), canonical(graph(lambda a, b, c: a * b)))


def test_unnamed_leaves_are_told_apart_by_identity() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    assert same(canonical(of_tensor(a * a)), canonical(of_tensor(b * b)))
    assert not same(canonical(of_tensor(a * a)), canonical(of_tensor(a * b)))


def test_another_set_of_commutative_names_may_be_given() -> None:
    one, other = canonical(graph(lambda a, b, c: a - b)), canonical(graph(lambda a, b, c: b - a))
    assert same(one, other, commutative={"Sub"})
    assert not same(canonical(graph(lambda a, b, c: a + b)), canonical(graph(lambda a, b, c: b + a)), commutative=())


# -- softer questions ----------------------------------------------------------------------------------------------


def test_contains_knows_the_plain_names() -> None:
    assert graph(shared).contains("Exp") and graph(shared).contains("AccumulateGrad")
    assert not graph(shared).contains("ExpBackward0") and not graph(shared).contains("Div")


def test_leaves_are_those_in_the_graph() -> None:
    assert graph(lambda a, b, c: a * b + a).leaves() == {"a", "b"}
    assert graph(lambda a, b, c: a.detach()).leaves() == set()


def test_shares_asks_for_more_than_one_consumer() -> None:
    assert graph(shared).shares("Mul")
    assert graph(lambda a, b, c: (a + b) * (a + b)).shares("AccumulateGrad")
    assert not graph(lambda a, b, c: (a * b).exp() + a * b).shares("Mul")


def test_both_operands_of_one_node_are_two_consumers() -> None:
    def squared(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        s = a + b
        return s * s

    assert graph(squared).shares("Add")


def test_reaches_follows_paths_from_the_root() -> None:
    detached = graph(lambda a, b, c: a * b + c.detach())
    assert detached.reaches("a") and detached.reaches("b") and not detached.reaches("c")
    assert not Graph(None, ()).reaches("a")


def test_reaches_ignores_what_the_root_does_not_use() -> None:
    island = Graph(0, (Node("Exp", None, ((1, 0),)), Node("AccumulateGrad", "a", ()), Node("AccumulateGrad", "b", ())))
    assert island.leaves() == {"a", "b"} and not island.reaches("b")


@pytest.mark.parametrize(
    ("write", "depth"),
    [
        (lambda a, b, c: a.detach(), 0),
        (lambda a, b, c: a + b, 2),
        (lambda a, b, c: (a + b) * c, 3),
        (lambda a, b, c: a + b.exp().exp().exp(), 5),
    ],
)
def test_depth_is_the_longest_path(write: Write, depth: int) -> None:
    assert graph(write).depth() == depth


# -- what a student's tensor looks like ----------------------------------------------------------------------------


def test_an_exported_graph_names_its_leaves_by_argument(enter: Enter) -> None:
    student = enter("def f(a, b, c): return (a * b + c).sum()", "torch")
    value, exported = export(student, "f", {name: tensor.detach() for name, tensor in leaves().items()})
    assert value.shape == ()
    expect_graph(exported, graph(lambda a, b, c: (c + b * a).sum()), "f")


def test_a_wrong_graph_is_drawn_in_the_evidence(enter: Enter) -> None:
    student = enter("def f(a, b, c): return a * b - c", "torch")
    _, exported = export(student, "f", {name: tensor.detach() for name, tensor in leaves().items()})
    with pytest.raises(CheckFailed, match="expected number of nodes, but different operations") as caught:
        expect_graph(exported, graph(lambda a, b, c: a * b + c), "f")
    detail = caught.value.detail
    assert detail is not None and detail.given is not None
    assert detail.given.values == ("'n0 = Sub(n1, c); n1 = Mul(a, b)'",)


def test_a_graph_of_another_size_says_how_large_it_is() -> None:
    with pytest.raises(CheckFailed, match=r"^f: the graph has 3 nodes, but 2 are expected\.$"):
        expect_graph(graph(lambda a, b, c: a.exp().exp()), graph(lambda a, b, c: a.exp()), "f")


def test_an_empty_graph_and_a_leaf_are_drawn_in_words() -> None:
    assert draw(Graph(None, ())) == "no graph"
    assert draw(canonical(graph(lambda a, b, c: a.view(4)))) == "a single leaf"


@pytest.mark.parametrize(
    "answer", ["None", "{}", "{'value': 1}", "{'graph': None}", "{'graph': {'root': 0, 'nodes': []}}", "3"]
)
def test_a_forged_export_fails(enter: Enter, answer: Any) -> None:
    forge = f"import sys\nsys._getframe(1).f_locals['self']._operations['graph.export'] = lambda *_: {answer}"
    with pytest.raises(CheckFailed, match="could not be read"):
        export(enter(forge, "torch"), "f", {"a": torch.ones(1)})


def test_a_written_graph_is_read_back() -> None:
    written = {"root": 0, "nodes": [["AddBackward0", None, [[1, 0], [None, 0]]], ["AccumulateGrad", "a", []]]}
    assert read(written) == Graph(0, (Node("Add", None, ((1, 0), (None, 0))), Node("AccumulateGrad", "a", ())))

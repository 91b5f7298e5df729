"""Mistakes about arrays that are larger than one edit: elementwise instead of dot products, transposes of all axes, wrong
masks, reductions over the whole array, wrong rounding.

They apply to references that compute with NumPy or torch.
"""

import ast
import copy
from collections.abc import Iterator
from itertools import combinations

from autograder.explain import mutants
from autograder.explain.diagnosis.edits.syntax import called, expr, nodes, owner, text
from autograder.explain.mutants import Edit, Mutant, Operators

REDUCED = ("sum", "mean", "max", "min", "amax", "amin")
ROUNDING = ("round", "rint", "floor", "ceil", "trunc")
ELEMENTWISE = ("exp", "log", "sqrt", "tanh", "sigmoid", "sin", "cos", "sign", *ROUNDING)
AXIS = ("axis", "dim")
TOLERANCES = (1e-6, -1e-6, 1e-3)


def library_of(source: str) -> str:
    return "torch" if "import torch" in source else "np" if "import numpy as np" in source else ""


def generate(source: str, library: str | None = None) -> list[Mutant]:
    """All wrong versions of this source. A part of a file does not show which library it uses, so `library` names it."""
    library = library_of(source) if library is None else library
    return mutants.generate(source, _Operators(ast.parse(source), library).table()) if library else []


class _Operators:
    """The operators for one reference, which depend on its library and on its own small functions."""

    def __init__(self, tree: ast.Module, library: str) -> None:
        self.library = library
        calls = nodes(tree, ast.Call)
        self.own = {node.name: text(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.dots = {text(a.targets[0]) for a in nodes(tree, ast.Assign) if _summed_product(a.value) is not None}
        self.applied = {
            (text(call.func), call.args[0].id)
            for call in calls
            if _is_elementwise(call, library) and isinstance(call.args[0], ast.Name)
        }
        self.passed_on = {  # to another Function, so an edit would cut the gradient there
            (name.lineno, name.col_offset) for call in calls if called(call) == "apply" for name in nodes(call, ast.Name)
        }

    def table(self) -> Operators:
        return [
            (ast.BinOp, (self.products, self.terms)),
            (ast.Call, (self.sums, self.reductions, self.transposes, self.own_functions, self.choices, self.rounded)),
            (ast.Attribute, (self.transpose_attributes,)),
            (ast.Compare, (self.compared,)),
            (ast.Name, (self.outputs,)),
            (ast.FunctionDef, (self.zeroed, self.axis_ignored, self.other_axis, self.factors_exchanged)),
        ]

    # -- whole functions -----------------------------------------------------------------------------------------------

    def zeroed(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """A backward that returns zeros."""
        if node.name == "backward":
            changed = copy.deepcopy(node)
            for item in nodes(changed, ast.Return):
                if item.value is not None and not isinstance(item.value, ast.Tuple):
                    item.value = expr("0 * value", value=item.value)
            yield Edit("zeros", "backward returns zeros", changed)

    def axis_ignored(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """The axis argument is ignored and the last axis used."""
        for name in AXIS:
            if any(argument.arg == name for argument in (*node.args.args, *node.args.kwonlyargs)):
                changed = copy.deepcopy(node)
                changed.body[:0] = ast.parse(f"{name} = -1").body
                yield Edit("axis", f"`{name}` of `{node.name}` is always -1", changed)

    def other_axis(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """All reductions of a function that use the same axis use another one."""
        for axis in dict.fromkeys(literal.value for literal in _axis_literals(node)):
            for other in {0, 1, -1} - {axis}:
                changed = copy.deepcopy(node)
                for literal in _axis_literals(changed):
                    literal.value = other if literal.value == axis else literal.value
                yield Edit("axis", f"axis {other} for axis {axis!r} in `{node.name}`", changed)

    def factors_exchanged(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """Two arguments that are factors are swapped."""
        names = [argument.arg for argument in node.args.args if argument.arg not in mutants.UPSTREAM_NAMES]
        for first, second in combinations(names, 2):
            changed = copy.deepcopy(node)
            factors = [name for name in _factors(changed) if name.id in (first, second)]
            for name in factors:
                name.id = second if name.id == first else first
            if factors:
                yield Edit("swap-names", f"`{first}` and `{second}` change places as factors", changed)

    # -- dot products --------------------------------------------------------------------------------------------------

    def products(self, node: ast.BinOp) -> Iterator[Edit]:
        if isinstance(node.op, ast.MatMult):
            yield Edit("dot", f"`{text(node)}` element by element", ast.BinOp(node.left, ast.Mult(), node.right))

    def terms(self, node: ast.BinOp) -> Iterator[Edit]:
        """A term that is a dot product is missing."""
        if isinstance(node.op, ast.Add | ast.Sub):
            for dropped, kept in ((node.right, node.left), (node.left, node.right)):
                if text(dropped) in self.dots:
                    yield Edit("dot-term", f"of `{text(node)}` only `{text(kept)}` is left", kept)

    def sums(self, node: ast.Call) -> Iterator[Edit]:
        """A factor of a dot product or its sum is missing."""
        product = _summed_product(node)
        if product is None:
            return
        yield Edit("dot", f"`{text(product)}` is not summed", product)
        for kept in (product.left, product.right):
            changed = copy.deepcopy(node)
            if product is owner(node):
                changed.func.value = kept  # type: ignore[attr-defined]
            else:
                changed.args[0] = kept
            yield Edit("dot-term", f"of `{text(product)}` only `{text(kept)}` is summed", changed)

    # -- reductions ----------------------------------------------------------------------------------------------------

    def reductions(self, node: ast.Call) -> Iterator[Edit]:
        """A reduction runs over the whole array, or takes one copy instead of the sum."""
        name = called(node)
        axis = next((keyword.value for keyword in node.keywords if keyword.arg in AXIS), None)
        if name not in REDUCED or not isinstance(node.func, ast.Attribute) or axis is None:
            return
        greatest = name in ("max", "amax")
        whole = copy.deepcopy(node)
        whole.keywords = [keyword for keyword in whole.keywords if keyword.arg not in (*AXIS, "keepdims", "keepdim")]
        if greatest and self.library == "np":
            whole.keywords.append(ast.keyword("initial", expr("-np.inf")))
        yield Edit("all-axes-max" if greatest else "all-axes", f"`{text(node)}` of the whole array", whole)
        if name == "sum" and isinstance(owner(node), ast.Name) and self.library == "np":
            keepdims = any(keyword.arg == "keepdims" for keyword in node.keywords)
            for at, words in ((-1, "last"), (0, "first")):
                index = f"slice({at}, {at + 1 or None})" if keepdims else str(at)
                copies = (
                    f"(lambda v, a: v[tuple({index} if n in a and v.shape[n] else slice(None) for n in range(v.ndim))]"
                    f".sum(axis=tuple(n for n in a if not v.shape[n]), keepdims={keepdims}))(values, tuple(axes))"
                )
                changed = expr(copies, values=owner(node), axes=axis)
                yield Edit("no-reduction", f"the {words} copy for `{text(node)}`", changed)

    # -- transposes and small functions --------------------------------------------------------------------------------

    def transposes(self, node: ast.Call) -> Iterator[Edit]:
        if called(node) == "swapaxes":
            yield from self._transposed(node, node.args[0] if len(node.args) == 3 else owner(node))
        elif called(node) == "transpose" and isinstance(node.func, ast.Attribute) and len(node.args) == 2:
            yield from self._transposed(node, node.func.value)

    def transpose_attributes(self, node: ast.Attribute) -> Iterator[Edit]:
        if node.attr in ("T", "mT") and isinstance(node.ctx, ast.Load):
            yield from self._transposed(node, node.value)

    def _transposed(self, node: ast.expr, matrix: ast.expr) -> Iterator[Edit]:
        words = text(node)
        yield Edit("transpose", f"`{words}` without the transposition", matrix)
        folded = "m.reshape(*m.shape[:-2], m.shape[-1], m.shape[-2])"
        yield Edit("transpose-by-reshape", f"reshape for `{words}`", expr(folded, m=matrix))
        yield Edit("transpose-all", f"`{words}` of all axes", expr("m.T", m=matrix))
        order = "(*range(m.ndim - 3, -1, -1), m.ndim - 1, m.ndim - 2)"
        method = "transpose" if self.library == "np" else "permute"
        yield Edit("transpose-all", f"`{words}` and the axes in front reversed", expr(f"m.{method}({order})", m=matrix))

    def own_functions(self, node: ast.Call) -> Iterator[Edit]:
        """The call of one of the reference's own small functions is missing."""
        body = self.own.get(called(node))
        if body is not None and isinstance(node.func, ast.Name) and 1 <= len(node.args) <= 2:
            transposes = "swapaxes" in body or ".T" in body or ".mT" in body
            operator = "transpose" if transposes else "no-reduction" if ".sum(" in body else "drop-call"
            yield Edit(operator, f"`{text(node)}` without the call", node.args[0])

    # -- masks ---------------------------------------------------------------------------------------------------------

    def choices(self, node: ast.Call) -> Iterator[Edit]:
        """`where` without the selection, with another condition, or with another value at the boundary of its branches."""
        if called(node) != "where" or len(node.args) != 3:
            return
        condition, if_true, if_false = node.args
        words = text(node)
        for zero, kept in ((if_true, if_false), (if_false, if_true)):
            if text(kept) in mutants.UPSTREAM_NAMES:
                yield Edit("no-mask", f"`{text(kept)}` for `{words}`", kept)
                clip = "np.clip(kept, -1, 1)" if self.library == "np" else "kept.clamp(-1, 1)"
                yield Edit("clipped-upstream", f"`{text(kept)}` is clipped for `{words}`", expr(clip, kept=kept))
                for name in sorted({name.id for name in nodes(condition, ast.Name)} - {"np", "torch"}):
                    asked = expr(text(condition), **{name: kept})
                    changed = ast.Call(node.func, [asked, if_true, if_false], node.keywords)
                    yield Edit("mask-of-upstream", f"`{text(asked)}` decides", changed)
            elif isinstance(zero, ast.Constant):
                yield Edit("guard", f"`{text(kept)}` for `{words}`", kept)
        if isinstance(condition, ast.Compare) and isinstance(condition.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE):
            edge = ast.Compare(condition.left, [ast.NotEq()], condition.comparators)
            yield Edit("mask", f"`{words}` is 0 at the kink", expr("whole * edge", whole=node, edge=edge))

    def compared(self, node: ast.Compare) -> Iterator[Edit]:
        """A comparison with a tolerance, of the sign bit, or on one side only."""
        left, right = node.left, node.comparators[0]
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE):
            return
        if not isinstance(right, ast.Constant):
            return
        for tolerance in TOLERANCES:
            moved = ast.Compare(left, node.ops, [ast.Constant(right.value + tolerance)])  # type: ignore[operator]
            yield Edit("mask", f"`{text(node)}` with a tolerance of {tolerance}", moved)
        if right.value == 0:
            signed = "np.copysign(1.0, x)" if self.library == "np" else "torch.copysign(torch.ones_like(x), x)"
            changed = ast.Compare(expr(signed, x=left), node.ops, node.comparators)
            yield Edit("mask", f"`{text(node)}` by the sign bit", changed)
        if isinstance(left, ast.Call) and called(left) in ("abs", "absolute", "fabs"):
            inner = left.args[0] if left.args else owner(left)
            for sided in (inner, ast.UnaryOp(ast.USub(), inner)):
                changed = ast.Compare(sided, node.ops, node.comparators)
                yield Edit("one-sided", f"`{text(changed)}` for `{text(node)}`", changed)

    # -- elementwise functions -----------------------------------------------------------------------------------------

    def rounded(self, node: ast.Call) -> Iterator[Edit]:
        if called(node) not in ROUNDING or not isinstance(node.func, ast.Attribute):
            return
        x = node.args[0] if node.args else node.func.value
        lib = self.library
        half = f"abs(x - {lib}.trunc(x)) == 0.5"
        ways = {
            "halves up": f"{lib}.floor(x + 0.5)",
            "halves down": f"{lib}.ceil(x - 0.5)",
            "halves up, exactly": f"{lib}.where({half}, {lib}.ceil(x), {lib}.round(x))",
            "halves away from zero": f"{lib}.trunc(x + 0.5 * {lib}.sign(x))",
            "halves away from zero, exactly": f"{lib}.where({half}, {lib}.trunc(x) + {lib}.sign(x), {lib}.round(x))",
            "halves towards zero": f"{lib}.where({half}, {lib}.trunc(x), {lib}.round(x))",
            "down": f"{lib}.floor(x)",
            "up": f"{lib}.ceil(x)",
            "towards zero": f"{lib}.trunc(x)",
        }
        for words, way in ways.items():
            yield Edit("rounding", f"`{text(node)}`: {words}", expr(way, x=x))
        yield Edit("unchanged-value", f"`{text(node)}` without the call", x)

    def outputs(self, node: ast.Name) -> Iterator[Edit]:
        """The result of an elementwise function is used in place of its argument."""
        if isinstance(node.ctx, ast.Load) and (node.lineno, node.col_offset) not in self.passed_on:
            for function, argument in sorted(self.applied):
                if argument == node.id:
                    applied = f"{function}({argument})"
                    yield Edit("output-for-input", f"`{applied}` for `{argument}`", expr(applied))


def _axis_literals(function: ast.FunctionDef) -> list[ast.Constant]:
    """The axes that reductions receive as integer literals."""
    calls = [call for call in nodes(function, ast.Call) if called(call) in REDUCED]
    values = [v for call in calls for v in (*call.args, *(k.value for k in call.keywords if k.arg in AXIS))]
    return [value for value in values if isinstance(value, ast.Constant) and type(value.value) is int]


def _factors(function: ast.FunctionDef) -> list[ast.Name]:
    products = [node for node in nodes(function, ast.BinOp) if isinstance(node.op, ast.Mult | ast.Div | ast.MatMult)]
    return [side for product in products for side in (product.left, product.right) if isinstance(side, ast.Name)]


def _summed_product(node: ast.AST) -> ast.BinOp | None:
    """The product in `(a * b).sum(...)` or `np.sum(a * b, ...)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) == "sum":
        for inner in (node.func.value, *node.args[:1]):
            if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult):
                return inner
    return None


def _is_elementwise(call: ast.Call, library: str) -> bool:
    """Whether a call is an elementwise function of the library, applied to one argument."""
    module, _, name = text(call.func).partition(".")
    return module == library and name in ELEMENTWISE and len(call.args) == 1 and not call.keywords

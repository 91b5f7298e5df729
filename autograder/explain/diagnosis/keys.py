"""Maps edits of the reference to misconception keys. `autograder.explain.misconceptions` has the texts.

An edit stands for a class of mistakes, which has several names in the curriculum. A name that the exercise itself uses (in
its files in `wrong/`) takes precedence.
"""

import ast
import re
from collections.abc import Collection

# possible keys of each operator: the first one that the exercise uses is chosen, else the first one
NAMES: dict[str, tuple[str, ...]] = {
    "overwrite": ("overwrites-instead-of-accumulating", "overwrites", "partial-fix"),
    "overwrite-some": ("partial-fix", "overwrites-instead-of-accumulating"),
    "overwrite-across-passes": ("overwrites-instead-of-accumulating",),
    "zero-inside": ("zeroes-inside-backward", "overwrites-instead-of-accumulating"),
    "same-operand": ("same-operand-special-case", "overwrites-instead-of-accumulating"),
    "shared-divided": ("divides-shared", "wrong-constant"),
    "upstream": ("missing-upstream", "drops-upstream"),
    "wrong-upstream": ("wrong-upstream",),
    "upstream-squared": ("upstream-squared", "wrong-upstream"),
    "upstream-reduced": ("upstream-reduced", "wrong-upstream"),
    "swap-names": ("operands-swapped", "swapped-locals"),
    "swap-operands": ("operands-swapped", "reverses-order"),
    "return-order": ("operands-swapped",),
    "return-none": ("none-gradient", "both-detached"),
    "sign": ("wrong-sign", "flipped-sign", "sign"),
    "drop-term": ("missing-product-term", "missing-term"),
    "drop-factor": ("missing-local-derivative", "missing-local-factor", "missing-scaling"),
    "mul-div": ("product-quotient-exchanged",),
    "constant": ("wrong-constant", "exponent-not-lowered", "missing-constant"),
    "reduction": ("sum-vs-mean",),
    "extremum": ("max-vs-min",),
    "no-reduction": ("missing-unbroadcast",),
    "reduction-dropped": ("missing-reduction",),
    "leading": ("leading-axes-only", "missing-unbroadcast"),
    "axis": ("wrong-axis",),
    "keepdims": ("keepdims-lost",),
    "transpose": ("missing-transpose",),
    "detach-saved": ("detached-saved-value",),
    "ctx-attribute": ("ctx-attribute",),
    "saved-copy": ("saved-intermediate", "saves-a-copy"),
    "not-recorded": ("no-second-order", "once-differentiable"),
    "arity": ("wrong-arity",),
    "create-graph": ("missing-create-graph", "no-second-order"),
    "guard": ("missing-guard", "crash-when-constant", "nan-on-masked-row", "pow-through-division", "none-for-unreached"),
    "undetached": ("direction-not-detached", "missing-stop-gradient", "state-keeps-chain"),
    "zero-grad": ("missing-zero-grad",),
    "hoist": ("missing-zero-grad",),
    "zero-before-step": ("zero-between-backward-and-step",),
    "leak": ("leaks-other-loss-grad", "missing-zero-grad"),
    "rate": ("compensates-lr",),
    "all-parameters": ("updates-other-group",),
    "nothing-sent": ("missing-operand-gradient", "drops-nodes"),
    "operand": ("missing-operand-gradient", "missing-product-term"),
    "empty-slots": ("drops-none-slots",),
    "exponent": ("wrong-exponent", "exponent-not-lowered", "wrong-constant"),
    "own-value": ("wrong-local-derivative", "operands-swapped"),
    "slope-added": ("wrong-local-derivative",),
    "square-of-input": ("wrong-local-derivative",),
    "output-for-input": ("output-for-input", "mask-of-output", "stale-saved-value", "wrong-local-derivative"),
    "input-for-output": ("formula-of-output-at-input", "wrong-local-derivative"),
    "kink": ("formula-invalid-at-zero", "wrong-local-derivative"),
    "kink-value": ("wrong-mask", "wrong-kink-value"),
    "mask": ("wrong-mask",),
    "traversal": ("wrong-traversal", "wrong-order", "not-reversed", "pre-order"),
    "breadth-first": ("bfs-order", "wrong-order", "wrong-traversal"),
    "breadth-first-reversed": ("not-reversed", "wrong-order", "wrong-traversal"),
    "pre-order": ("wrong-traversal", "wrong-order", "pre-order"),
    "miscounted": ("consumers-miscounted",),
    "marked-early": ("wrong-traversal", "wrong-order"),
    "reversed": ("not-reversed", "wrong-order", "wrong-traversal"),
    "every-path": ("double-count", "double-counting"),
    "identity-by-value": ("identity-by-value", "hash-by-value"),
    "missing-seed": ("no-seed", "missing-seed"),
    "compounding": ("compounding-interior", "state-between-calls"),
    "resets-leaves": ("resets-leaf-grads", "overwrites-instead-of-accumulating"),
    "forbids-second": ("forbids-second-call", "state-between-calls"),
    "approximate": ("finite-difference",),
    "shape": ("wrong-shape",),
    "dtype": ("wrong-dtype",),
    "mutation": ("mutates-input", "writes-grad"),
    "state": ("state-between-calls",),
    "layout": ("only-contiguous",),
    "overflow": ("overflow",),
    "scale": ("wrong-scale",),
    "twice": ("double-counting", "wrong-constant"),
    "order": ("wrong-order",),
    "move": ("wrong-order",),
    "condition": ("wrong-mask",),
    "drop-statement": ("missing-step",),
    "detached": ("detached-branch", "both-detached"),
    "other-side": ("wrong-branch", "missing-stop-gradient", "direction-not-detached"),
    "weight-moved": ("wrong-branch", "wrong-constant"),
    "recomputed": ("lost-sharing", "recompute-trunk"),
    "drop-factor-once": ("missing-local-derivative", "missing-scaling"),
    "factor-twice": ("scaled-twice", "double-counting"),
    "not-cleared": ("grads-not-separated", "missing-zero-grad"),
    "aliased": ("missing-call", "aliases-grad"),
    "filtered": ("none-for-unreached",),
    "equal-weights": ("divides-by-count", "sum-vs-mean"),
    "drops-last": ("drops-last-partial",),
    "one-step": ("one-big-batch",),
    "chained": ("state-keeps-chain", "missing-stop-gradient"),
    "discarded": ("state-keeps-chain", "result-discarded"),
    "backward-after-loop": ("keeps-graphs",),
    "unrecorded": ("no-grad-around-everything", "missing-step"),
    "inexact": ("inexact-integer",),
    "zeros": ("zero-gradient", "true-derivative"),
    "other-entry": ("another-place",),
    "entries-summed": ("entries-summed", "grads-not-separated"),
    "entries-subtracted": ("entries-subtracted",),
    "rate-ignored": ("missing-learning-rate",),
    "drop-call": ("missing-call", "result-discarded", "missing-step", "missing-function"),
    "dot": ("elementwise-instead-of-dot", "diag-only"),
    "dot-term": ("missing-product-term", "missing-dot-term"),
    "all-axes": ("sum-over-all-axes", "wrong-axis"),
    "all-axes-max": ("wrong-axis", "global-max-shift"),
    "transpose-by-reshape": ("reshape-for-transpose", "missing-transpose"),
    "transpose-all": ("transposes-all-axes", "missing-transpose"),
    "no-mask": ("missing-mask", "missing-clip-mask", "wrong-mask"),
    "one-sided": ("wrong-mask", "missing-clip-mask"),
    "clipped-upstream": ("wrong-mask", "missing-clip-mask"),
    "rounding": ("wrong-rounding",),
    "rounding-of-halves": ("round-half-up",),
    "unchanged-value": ("missing-function", "forward-changed"),
    "value-changed": ("forward-changed",),
    "output-formula": ("missing-function", "formula-of-output-at-input"),
    "reshaped-axes": ("reshape-for-transpose",),
    "aligned-left": ("aligned-left",),
    "masked": ("nan-on-masked-row",),
    "zero-division": ("zero-division", "pow-through-division"),
    "negative": ("undefined-for-negatives",),
    "underflow": ("overflow",),
    "container": ("wrong-container",),
    "other-formula": ("another-formula",),
}
_UPSTREAMS = "(g|gs|grad|grad_output|grad_out|upstream|dout|gy|grad_y)"
_UPSTREAM = re.compile(rf"{_UPSTREAMS}|out\.grad")
# calls and attributes that rearrange the entries of an array
_SAME_ENTRIES = {
    *("expand_dims", "reshape", "view", "unsqueeze", "squeeze", "ravel", "flatten"),
    *("swapaxes", "transpose", "moveaxis", "permute", "T", "mT"),
    *("broadcast_to", "expand", "expand_as"),
    *("asarray", "array", "clone", "copy", "contiguous"),
}
# refines an operator by the text of the edit
_FINER: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("drop-statement", re.compile(r"`self\.grad \+?= 1(\.0)?`"), "missing-seed"),
    ("drop-statement", re.compile(r"\.grad ([+-]=|= .*\bgrad\b)"), "operand"),
    ("drop-statement", re.compile(r"zero_grad|\.grad = None"), "zero-grad"),
    ("drop-statement", re.compile(r"None, 0\)"), "empty-slots"),
    ("flag", re.compile(r"without keepdims?|keepdims?="), "keepdims"),
    ("flag", re.compile(r"without create_graph"), "create-graph"),
    ("flag", re.compile(r"without allow_unused"), "guard"),
    ("no-reduction", re.compile(r"^without `\(.+ \* .+\)\.(sum|mean)\("), "dot"),
    ("no-reduction", re.compile(rf"^(?!.*\b{_UPSTREAMS}\b)"), "reduction-dropped"),
    ("no-reduction", re.compile(r"^without `.*keepdims?=True"), "leading"),
    ("reduction", re.compile(r"as (arg|a)?(min|max)$"), "extremum"),
    ("swap-operands", re.compile(r"^the operands of `(?!.*(self|other))[^`@/*(]+ - [^`@/*(]+` change places"), "sign"),
    ("axis", re.compile(r"\.a?max\(.*without"), "all-axes-max"),
    ("axis", re.compile(r"\.(sum|mean)\(.*without"), "all-axes"),
    ("drop-term", re.compile(r"^of `(\w+) [+-] \d+` only `\1` is left"), "exponent"),
    ("drop-call", re.compile(r"\b(tanh|sigmoid|sqrt)\("), "output-formula"),
    ("mask", re.compile(r"`(.*) > (\S+)` becomes `\1 >= \2`"), "kink-value"),
    ("mask", re.compile(r"`(.*) >= (\S+)` becomes `\1 > \2`"), "kink-value"),
    ("mask", re.compile(r"`(.*) <= (\S+)` becomes `\1 < \2`"), "kink-value"),
    ("mask", re.compile(r"`(.*) < (\S+)` becomes `\1 <= \2`"), "kink-value"),
    ("mask", re.compile(r"is 0 at the kink|with a tolerance of|by the sign bit"), "kink-value"),
    ("rounding", re.compile(r": halves"), "rounding-of-halves"),
    ("drop-call", re.compile(r"\.detach\(\)` without"), "undetached"),
    ("drop-call", re.compile(r"clone\(\)` without"), "aliased"),
    ("drop-call", re.compile(r"zero_grad\(\)` without"), "zero-grad"),
    ("drop-call", re.compile(r"reversed"), "traversal"),
    ("constant", re.compile(r"axis|dim"), "axis"),
)


def finer(operator: str, words: str) -> str:
    """The operator of a mutant, refined by what it was applied to."""
    if operator == "drop-factor":
        gone = _dropped_factor(words)
        if isinstance(gone, ast.Constant):
            return "constant"
        if gone is not None and _UPSTREAM.fullmatch(ast.unparse(_source(gone))):
            return "upstream"
    for name, pattern, better in _FINER:
        if operator == name and pattern.search(words):
            return better
    return operator


def _dropped_factor(words: str) -> ast.expr | None:
    """The factor that an edit has dropped, according to its description."""
    edit = re.match(r"of `(.*)` only `(.*)` is left", words)
    product = ast.parse(edit[1], mode="eval").body if edit is not None else None
    if edit is None or not isinstance(product, ast.BinOp):
        return None
    return product.right if ast.unparse(product.left) == edit[2] else product.left


def _source(array: ast.expr) -> ast.expr:
    """The array before it was reshaped or rearranged."""
    match array:
        case ast.Subscript() if _adds_axes_only(array.slice):
            return _source(array.value)
        case ast.Attribute() if array.attr in _SAME_ENTRIES:
            return _source(array.value)
        case ast.Call(func=ast.Attribute(value=ast.Name("np" | "torch"), attr=called), args=[first, *_]):
            return _source(first) if called in _SAME_ENTRIES else array
        case ast.Call(func=ast.Attribute(value=inner, attr=called)) if called in _SAME_ENTRIES:
            return _source(inner)
    return array


def _adds_axes_only(index: ast.expr) -> bool:
    """Whether an index only adds axes, as in `g[..., None]`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(part, ast.Constant) and part.value in (None, ...) for part in parts)


def key_of(operator: str, vocabulary: Collection[str]) -> str:
    """The key of an operator in an exercise with this vocabulary."""
    names = NAMES.get(operator, (operator,))
    return next((name for name in names if name in vocabulary), names[0])

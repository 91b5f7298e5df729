"""Which misconceptions an edit of the reference stands for, and the sentence that a student reads.

An edit is a class of mistakes; each class has several names in the curriculum. The name that an exercise itself uses
(its files in `wrong/`) goes first.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from autograder.judge.diagnosis.words import WORDS

# an edit's operator, and the names it may go by; the first that the exercise uses is taken, else the first
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
    "swap-names": ("operands-swapped", "swapped-locals", "wrong-local-derivative", "stale-saved-value"),
    "swap-operands": ("operands-swapped", "reverses-order"),
    "return-order": ("operands-swapped",),
    "return-none": ("none-gradient", "both-detached"),
    "sign": ("wrong-sign", "flipped-sign", "sign"),
    "drop-term": ("missing-product-term", "missing-term"),
    "drop-factor": ("missing-local-derivative", "missing-local-factor", "missing-scaling", "wrong-local-derivative"),
    "mul-div": ("missing-local-derivative", "wrong-local-derivative"),
    "constant": ("wrong-constant", "exponent-not-lowered", "missing-constant"),
    "reduction": ("sum-vs-mean",),
    "no-reduction": ("missing-unbroadcast",),
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
    "operand": ("missing-operand-gradient", "missing-product-term"),
    "empty-slots": ("drops-none-slots",),
    "exponent": ("wrong-exponent", "exponent-not-lowered", "wrong-constant"),
    "own-value": ("wrong-local-derivative", "operands-swapped"),
    "slope-added": ("wrong-local-derivative",),
    "square-of-input": ("wrong-local-derivative",),
    "output-for-input": ("output-for-input", "mask-of-output", "stale-saved-value", "wrong-local-derivative"),
    "input-for-output": ("formula-of-output-at-input", "wrong-local-derivative"),
    "kink": ("formula-invalid-at-zero", "wrong-local-derivative"),
    "kink-value": ("wrong-kink-value", "wrong-mask"),
    "mask": ("wrong-mask", "mask-inverted", "wrong-kink-value"),
    "traversal": ("wrong-traversal", "wrong-order", "not-reversed", "pre-order"),
    "breadth-first": ("bfs-order", "wrong-order", "wrong-traversal"),
    "breadth-first-reversed": ("not-reversed", "wrong-order", "wrong-traversal"),
    "pre-order": ("wrong-traversal", "wrong-order", "pre-order"),
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
    "factor-twice": (
        "scaled-twice",
        "double-counting",
        "wrong-local-derivative",
        "missing-local-derivative",
        "wrong-constant",
    ),
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
    "entries-subtracted": ("wrong-sign",),
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
    "rounding": ("wrong-rounding", "round-half-up"),
    "unchanged-value": ("missing-function", "forward-changed"),
    "value-changed": ("forward-changed",),
    "output-formula": ("formula-of-output-at-input", "missing-function"),
    "masked": ("nan-on-masked-row", "overflow"),
    "zero-division": ("zero-division", "pow-through-division", "overflow"),
    "underflow": ("overflow",),
    "container": ("wrong-container",),
    "other-formula": ("another-formula",),
}
_UPSTREAM = re.compile(r"`(g|gs|grad|grad_output|grad_out|upstream|dout|gy|grad_y|v|out\.grad)`")
# within an operator, what the edited text says about which mistake it is
_FINER: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("drop-statement", re.compile(r"`self\.grad \+?= 1(\.0)?`"), "missing-seed"),
    ("drop-statement", re.compile(r"\.grad [+-]?="), "operand"),
    ("drop-statement", re.compile(r"zero_grad|\.grad = None"), "zero-grad"),
    ("drop-statement", re.compile(r"None, 0\)"), "empty-slots"),
    ("flag", re.compile(r"without keepdims?|keepdims?="), "keepdims"),
    ("flag", re.compile(r"without create_graph"), "create-graph"),
    ("flag", re.compile(r"without allow_unused"), "guard"),
    ("no-reduction", re.compile(r"^without `\(.+ \* .+\)\.(sum|mean)\("), "dot"),
    ("no-reduction", re.compile(r"^without `.*keepdims?=True"), "leading"),
    ("swap-operands", re.compile(r"^the operands of `(?!.*(self|other))[^`@/*(]+ - [^`@/*(]+` change places"), "sign"),
    ("axis", re.compile(r"\.a?max\(.*without"), "all-axes-max"),
    ("axis", re.compile(r"\.(sum|mean)\(.*without"), "all-axes"),
    ("drop-term", re.compile(r"^of `(\w+) [+-] \d+` only `\1` is left"), "exponent"),
    ("drop-call", re.compile(r"\b(tanh|sigmoid|sqrt)\("), "output-formula"),
    ("mask", re.compile(r"`(.*) > (\S+)` becomes `\1 >= \2`"), "kink-value"),
    ("mask", re.compile(r"`(.*) >= (\S+)` becomes `\1 > \2`"), "kink-value"),
    ("drop-call", re.compile(r"\.detach\(\)` without"), "undetached"),
    ("drop-call", re.compile(r"clone\(\)` without"), "aliased"),
    ("drop-call", re.compile(r"zero_grad\(\)` without"), "zero-grad"),
    ("drop-call", re.compile(r"reversed"), "traversal"),
    ("constant", re.compile(r"axis|dim"), "axis"),
)


def finer(operator: str, words: str) -> str:
    """The operator of a mutant, told apart by what it was applied to."""
    if operator == "drop-factor":
        gone = re.match(r"of `(.*)` only `(.*)` is left", words)
        if gone is not None:
            rest = gone[1].replace(gone[2], "", 1).strip(" */()@")
            if re.fullmatch(r"[\d.]+", rest):
                return "constant"
            if _UPSTREAM.fullmatch(f"`{rest}`"):
                return "upstream"
    for name, pattern, better in _FINER:
        if operator == name and pattern.search(words):
            return better
    return operator


def key_of(operator: str, vocabulary: Collection[str]) -> str:
    """The misconception's name in this exercise."""
    names = NAMES.get(operator, (operator,))
    return next((name for name in names if name in vocabulary), names[0])


def sentence(keys: Sequence[str], reworded: Mapping[str, str], *, limited: bool = False) -> str:
    """What the student reads. An author's own wording of a key stands alone."""
    for key in keys:
        if key in reworded:
            return reworded[key]
    claim = (
        "Your code runs into its limit in the very place where it does" if limited else "Your answer is exactly what you get"
    )
    if keys[0] in WORDS:
        return f"{claim} if {WORDS[keys[0]]}."
    return f"{claim} with the mistake called «{keys[0].replace('-', ' ')}»."

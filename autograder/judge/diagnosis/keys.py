"""The names of misconceptions, what is said of each, and which of them an edit of the reference stands for.

An edit is a class of mistakes; each class has several names in the curriculum. The name that an exercise itself uses
(its files in `wrong/`) goes first. No sentence quotes the reference: a student reads them.
"""

import re
from collections.abc import Collection, Mapping, Sequence

WORDS = {
    "overwrites-instead-of-accumulating": "a gradient is assigned where it has to be added to what is already there",
    "missing-operand-gradient": "one of the operands is never sent its gradient",
    "missing-upstream": "the gradient that arrives from above is left out, and only the local derivative is used",
    "wrong-upstream": "the gradient of another value is used for the one that arrives from above",
    "operands-swapped": "the operands, or the gradients for them, are exchanged",
    "wrong-constant": "a constant, as a factor or an exponent, is another one",
    "wrong-sign": "a sign is the other way round",
    "flipped-sign": "a sign is the other way round",
    "missing-product-term": "one term of a sum is left out",
    "missing-local-derivative": "a factor of the chain rule is left out",
    "detached-saved-value": "a saved tensor is detached, so that later derivatives take it for a constant",
    "saved-intermediate": "something computed in forward is saved, which backward then takes for a constant",
    "ctx-attribute": "a tensor is kept as an attribute of ctx, where autograd does not watch it",
    "no-second-order": "what backward does is not recorded, so that there is no second derivative",
    "wrong-arity": "backward returns another number of gradients than forward has inputs",
    "missing-unbroadcast": "a gradient keeps the shape of the result, or one slice of it, and is not summed over the copies",
    "leading-axes-only": "only the axes that broadcasting put in front are summed, not those stretched from size 1",
    "keepdims-lost": "an axis of size 1 is dropped, or one too many is kept",
    "sum-vs-mean": "a mean stands for a sum, or a sum for a mean",
    "wrong-axis": "an axis is another one",
    "reshape-instead-of-sum-axis": "copies are folded together with reshape, not summed along the axis that was stretched",
    "missing-transpose": "a factor is not transposed",
    "direction-not-detached": "the direction takes part in the second differentiation",
    "missing-stop-gradient": "a gradient flows where it has to stop",
    "diagonal-only": "only the diagonal of the second derivative is used, or its rows are summed before the product",
    "gauss-newton": "the outer product of the gradient with itself stands for the second derivative",
    "crash-when-constant": "it is taken for granted that the result depends on the argument",
    "finite-difference": "the derivative is a difference quotient, right to some digits and no further",
    "missing-create-graph": "the first derivative is taken without create_graph",
    "missing-zero-grad": "gradients of earlier passes are not cleared in time, and add up",
    "zero-between-backward-and-step": "fresh gradients are cleared before the step can use them",
    "leaks-other-loss-grad": "a gradient that one loss left behind goes into the step of the other",
    "compensates-lr": "gradients add up, and a smaller learning rate is meant to make up for it",
    "drops-none-slots": "empty slots are left out",
    "duplicates-shared": "a node that is reached twice is listed twice",
    "identity-by-name": "different nodes are taken for one because their names agree",
    "loses-output-index": "the number of the output that an edge goes to is lost",
    "lost-multiplicity": "two edges between the same nodes become one",
    "recursion-limit": "there is one nested call for each node, and Python allows about a thousand",
    "wrong-order": "steps are taken in another order",
    "wrong-mask": "a condition or mask is another one",
    "missing-step": "one step is left out",
    "wrong-traversal": "values pass on their gradient before they have received all of it",
    "none-gradient": "None is returned where a gradient is due",
    "wrong-shape": "the numbers are right and the shape is another one",
    "wrong-dtype": "the numbers are right and their type is another one",
    "mutates-input": "the arguments are changed",
    "state-between-calls": "a second call to the same function answers differently",
    "only-contiguous": "the memory layout of an array is taken for its order of entries",
    "overflow": "an intermediate result is too large or too small for a float, or a 0 meets an infinity",
    "wrong-local-derivative": "one operation has another local derivative, and all others are right",
    "wrong-scale": "the direction is right, and the length is another one",
    "upstream-squared": "the gradient that arrives from above goes in twice",
    "upstream-reduced": "the gradient that arrives from above is summed up before it is used",
    "double-counting": "a contribution is counted twice",
    "elementwise-instead-of-dot": "factors are multiplied entry by entry where the products have to be summed",
    "diag-only": "each entry of the result is taken to depend on its own entry of the input alone",
    "missing-dot-term": "the normaliser is taken for a constant, or its share of the gradient loses a factor",
    "sum-over-all-axes": "a sum runs over the whole array where each slice has a sum of its own",
    "global-max-shift": "the largest number of the whole array is subtracted, so that slices far below it vanish",
    "nan-on-masked-row": "a slice of nothing but -inf is computed like any other: -inf minus -inf, or 0 divided by 0",
    "pow-through-division": "a power is computed with a division by x, which is not defined where x is 0",
    "formula-of-output-at-input": "a derivative that is written in terms of the output is evaluated at the input",
    "transposes-all-axes": "the axes in front are turned round along with the last two, which mixes up the batch",
    "reshape-for-transpose": "a transposed shape is reached with reshape, which leaves the numbers in their order",
    "forward-changed": "the value that goes on is not the exact one, but is mixed with the one whose slope is sent back",
    "true-derivative": "the true derivative is sent back, which is 0 wherever there is one, and not the surrogate's",
    "missing-clip-mask": "the gradient also passes where it has to be stopped, outside of the window or on one side of it",
    "mask-of-output": "whether a gradient passes is decided by a computed result, and not by the input itself",
    "mask-of-upstream": "whether a gradient passes is decided by the upstream, and not by the input",
    "round-half-up": "numbers halfway between two integers are rounded to another neighbour than the even one",
    "wrong-kink-value": "only at a kink, or next to it, the value or the slope is another one",
    "missing-function": "a function that has to be applied, such as exp or abs, is left out",
    "full-hessian": "the second derivatives are all computed, one row for each entry, and only then multiplied",
    "writes-grad": "the gradient is left behind in tensors that belong to the caller, or their flags are changed",
    "missing-guard": "a special case is computed like all others",
    "missing-mask": "the gradient also passes where it has to be stopped",
    "wrong-rounding": "numbers are rounded another way",
    "output-for-input": "the result of a function is used where its argument is due",
    "zero-division": "a quotient has a 0 below the line",
    "zero-gradient": "the gradient is 0 where it must not be",
}

# an edit's operator, and the names it may go by; the first that the exercise uses is taken, else the first
NAMES: dict[str, tuple[str, ...]] = {
    "overwrite": ("overwrites-instead-of-accumulating", "overwrites"),
    "upstream": ("missing-upstream", "drops-upstream"),
    "wrong-upstream": ("wrong-upstream",),
    "upstream-squared": ("upstream-squared", "wrong-upstream"),
    "upstream-reduced": ("upstream-reduced", "wrong-upstream"),
    "swap-names": ("operands-swapped", "swapped-locals", "wrong-local-derivative", "stale-saved-value"),
    "swap-operands": ("operands-swapped", "reverses-order"),
    "return-order": ("operands-swapped",),
    "return-none": ("none-gradient",),
    "sign": ("wrong-sign", "flipped-sign", "sign"),
    "drop-term": ("missing-product-term", "missing-term"),
    "factor-twice": ("double-counting", "wrong-local-derivative", "missing-local-derivative"),
    "dot": ("elementwise-instead-of-dot", "diag-only"),
    "dot-term": ("missing-product-term", "missing-dot-term"),
    "all-axes": ("sum-over-all-axes", "wrong-axis"),
    "all-axes-max": ("wrong-axis", "global-max-shift"),
    "exponent": ("wrong-exponent", "exponent-not-lowered", "wrong-constant"),
    "transpose-by-reshape": ("reshape-for-transpose", "missing-transpose"),
    "transpose-all": ("transposes-all-axes", "missing-transpose"),
    "no-mask": ("missing-mask", "missing-clip-mask", "wrong-mask"),
    "one-sided": ("wrong-mask", "missing-clip-mask"),
    "clipped-upstream": ("wrong-mask", "missing-clip-mask"),
    "rounding": ("wrong-rounding", "round-half-up"),
    "unchanged-value": ("missing-function", "forward-changed"),
    "value-changed": ("forward-changed",),
    "output-for-input": ("output-for-input", "mask-of-output", "stale-saved-value"),
    "output-formula": ("formula-of-output-at-input", "missing-function"),
    "drop-call": ("missing-function",),
    "zeros": ("zero-gradient", "true-derivative"),
    "masked": ("nan-on-masked-row", "overflow"),
    "zero-division": ("zero-division", "pow-through-division", "overflow"),
    "underflow": ("overflow",),
    "drop-factor": ("missing-local-derivative", "missing-local-factor"),
    "mul-div": ("missing-local-derivative", "wrong-local-derivative"),
    "constant": ("wrong-constant", "exponent-not-lowered"),
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
    "guard": ("missing-guard", "crash-when-constant", "nan-on-masked-row", "pow-through-division"),
    "undetached": ("direction-not-detached", "missing-stop-gradient"),
    "zero-grad": ("missing-zero-grad",),
    "hoist": ("missing-zero-grad",),
    "zero-before-step": ("zero-between-backward-and-step",),
    "leak": ("leaks-other-loss-grad", "missing-zero-grad"),
    "rate": ("compensates-lr",),
    "operand": ("missing-operand-gradient", "missing-product-term"),
    "empty-slots": ("drops-none-slots",),
    "mask": ("wrong-mask", "mask-inverted", "wrong-kink-value"),
    "traversal": ("wrong-traversal", "wrong-order", "not-reversed", "pre-order"),
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
}
_UPSTREAM = re.compile(r"`(g|gs|grad|grad_output|grad_out|upstream|dout|gy|grad_y|v|out\.grad)`")
# within an operator, what the edited text says about which mistake it is
_FINER: tuple[tuple[str, re.Pattern[str], str], ...] = (
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
    ("drop-call", re.compile(r"\.detach\(\)` without"), "undetached"),
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


def sentence(keys: Sequence[str], reworded: Mapping[str, str], what: str = "Your answer") -> str:
    """What the student reads. An author's own wording of a key stands alone."""
    for key in keys:
        if key in reworded:
            return reworded[key]
    told = WORDS.get(keys[0], keys[0].replace("-", " "))
    return f"{what} is exactly what you get if {told}."

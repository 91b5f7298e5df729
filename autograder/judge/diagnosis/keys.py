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
    "wrong-constant": "a constant factor is another one",
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
    "overflow": "an intermediate result is too large, or a 0 meets an infinity",
    "wrong-local-derivative": "one operation has another local derivative, and all others are right",
    "wrong-scale": "the direction is right, and the length is another one",
    "upstream-squared": "the gradient that arrives from above goes in twice",
    "upstream-reduced": "the gradient that arrives from above is summed up before it is used",
    "double-counting": "a contribution is counted twice",
    # walks over a graph
    "not-reversed": "the order is the other way round: what is below comes before what uses it",
    "preorder-dfs": "a function is listed when the search first meets it, although another path to it is still to come",
    "bfs-order": "the order goes by the fewest steps from the output, although a longer way to the same place is still to come",
    "drops-leaves": "the functions at the leaves, which store the gradients, are left out",
    "first-slot-only": "one slot of each function is followed, and the other slots are not",
    "lists-twice": "a function is listed once for each way to it",
    "counts-nodes": "functions or uses are counted, each once, and not the ways that lead to them",
    "counts-all-leaves": "every leaf counts as the one that was asked about",
    "counts-none": "an empty slot counts as the end of a path",
    "counts-whether": "it is told whether there is a way at all, and not how many there are",
    "identity-by-value": "two of them are taken for one because they hold the same numbers or share their memory",
    "inexact-integer": "counts are kept in a type of limited size, which rounds or wraps around when they grow long",
    "exponential-revisit": "every path is walked by itself, and shared parts are walked again each time",
    "wrong-numbering": "a node is listed under one number and pointed to by another, which is off by one",
    # graphs that are built
    "detached-branch": "a value is detached on its way, and the gradient that should come back along this way is missing",
    "lost-sharing": "a value is computed again at each use, where one result should be used several times",
    "missing-constant": "a constant factor is left out or is another one, which only the numbers show and no graph does",
    "pow-for-product": "a power stands for a product of a value with itself: the same number, and another node in the graph",
    "reassociated": "the formula is multiplied out or grouped in another way: the same value, and another graph",
    # portions of a batch
    "divides-by-count": "every portion weighs the same, also the last one, which has fewer rows",
    "drops-last-partial": "the rows that do not fill a portion are left out",
    "missing-scaling": "the means of the portions are added up without the share that each has in the whole",
    "scaled-twice": "a factor that weighs a part, its share in the whole, goes in twice",
    "one-big-batch": "all rows are given at once, so that nothing is saved by portions",
    "missing-learning-rate": "a step has the full length of the gradient, and the learning rate is left out",
    "another-place": "what belongs in one place of the answer is given in another",
    "entries-summed": "two entries that belong apart come out as one sum",
    # what autograd keeps
    "zero-gradient": "zeros are given where a gradient is due",
    "both-detached": "nothing is left for the gradient to flow through: what should learn is detached as well",
    "wrong-branch": "what is meant for one side, a detach or a weight, is on the other side",
    "aliases-grad": "the lists hold .grad itself and no copy of it, so that whatever changes .grad later changes them",
    "grads-not-separated": "a gradient is added to one that was there before, so that two of them come out as one sum",
    "none-for-unreached": "a parameter that a loss does not reach is given None, or is left out, where zeros are due",
    "recompute-trunk": "the shared part is computed again for each loss",
    "retains-graph": "the graph is kept after the last backward pass as well, and with it all that it saved",
    "keeps-graphs": "something that is carried on still holds the graphs of steps that are over",
    "returns-graph": "what is returned still carries a graph, or asks for one",
    "state-keeps-chain": "a state is handed on with its history, so that a backward pass goes on into earlier steps",
    "no-grad-around-everything": "recording is off, or no backward pass is made, where a gradient is wanted",
    "missing-call": "a call that copies a value or makes another one of it is left out",
    "result-discarded": "a method that returns a new value is called, and what it returns is not used",
    # scalar engines
    "double-count": "a value passes on its gradient more than once in one pass, for each way that leads to it",
    "no-seed": "the output does not begin with 1, its derivative by itself, and that is what all others are made from",
    "divides-shared": "contributions to a shared value are averaged or divided up, where each of them counts in full",
    "partial-fix": "somewhere, if not everywhere, the last contribution to a value still replaces those before it",
    "same-operand-special-case": "one value on both sides of an operation is looked after, and one value in two operations is not",
    "zeroes-inside-backward": "gradients are set back in the middle of the pass, and what other operations had sent is lost",
    "equality-by-value": "values are equal when their numbers are, although they are different nodes",
    "hash-by-value": "sets and dictionaries take values with the same numbers for one node",
    "reflected-order": "with a number on the left of an operation, the two sides are exchanged, or the number is forgotten",
    "compounding-interior": "results on the way keep the gradient of an earlier pass, and send it on once more",
    "resets-leaf-grads": "a pass clears gradients of inputs, which have to add up over all passes",
    "forbids-second-call": "what has taken part in one pass adds nothing in a later one, or ends it with an error",
    "drops-nodes": "part of the graph is never visited, and what it would send is missing",
    "raises-recursion-limit": "the limits of the interpreter are changed, so that recursion can go deeper",
    "recursive-repr": "the printed form of a value contains those of all values below it",
    "quadratic-membership": "whether a node has been seen is asked of a list, which takes longer with each node",
    # slopes
    "wrong-exponent": "the exponent in a derivative is another one",
    "missing-local-factor": "one factor of an operation's own derivative is left out",
    "output-for-input": "the result of an operation stands where its derivative has the argument",
    "formula-of-output-at-input": "the argument of an operation stands where its derivative has the result",
    "formula-invalid-at-zero": "the derivative is written in a form that divides by the argument, or takes its logarithm",
    "mask-inverted": "the gradient passes where it has to stop, and stops where it has to pass",
    "mask-of-upstream": "the sign of the gradient that arrives decides what passes, and not the sign of the argument",
    "wrong-kink-value": "the slope exactly at the kink is another one",
}

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
    "no-reduction": ("missing-unbroadcast", "sum-over-all-axes"),
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
    "guard": ("crash-when-constant", "missing-guard", "none-for-unreached"),
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
    "output-for-input": ("output-for-input", "wrong-local-derivative"),
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
    "factor-twice": ("scaled-twice", "wrong-constant"),
    "not-cleared": ("grads-not-separated", "missing-zero-grad"),
    "aliased": ("missing-call", "aliases-grad"),
    "filtered": ("none-for-unreached",),
    "equal-weights": ("divides-by-count", "sum-vs-mean"),
    "drops-last": ("drops-last-partial",),
    "one-step": ("one-big-batch",),
    "chained": ("state-keeps-chain", "missing-stop-gradient"),
    "discarded": ("result-discarded", "state-keeps-chain"),
    "backward-after-loop": ("keeps-graphs",),
    "unrecorded": ("no-grad-around-everything", "missing-step"),
    "inexact": ("inexact-integer",),
    "zeros": ("zero-gradient",),
    "other-entry": ("another-place",),
    "entries-summed": ("entries-summed", "grads-not-separated"),
    "entries-subtracted": ("wrong-sign",),
    "rate-ignored": ("missing-learning-rate",),
    "drop-call": ("missing-call", "result-discarded", "missing-step"),
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
    ("no-reduction", re.compile(r"keepdims?=True"), "leading"),
    ("mask", re.compile(r"`(.*) > (\S+)` becomes `\1 >= \2`"), "kink-value"),
    ("mask", re.compile(r"`(.*) >= (\S+)` becomes `\1 > \2`"), "kink-value"),
    ("drop-term", re.compile(r"of `(n|k|power|exponent) - 1` only"), "exponent"),
    ("drop-call", re.compile(r"\.detach\(\)` without"), "undetached"),
    ("drop-call", re.compile(r"clone\(\)` without"), "aliased"),
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

"""Misconceptions about accumulating gradients, within one backward pass and across several."""

from autograder.explain.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # within one pass
    "overwrites-instead-of-accumulating": Misconception(
        "Gradient overwritten instead of accumulated",
        "Some contributions to a gradient are lost because a later write replaces the value that was already there. A "
        "value that is used several times receives one contribution from each use, and the chain rule adds them. "
        "Check every line that writes a gradient.",
    ),
    "accumulates-in-place": Misconception(
        "Contribution added into a shared array",
        "A contribution is added in place to an array that belongs to another tensor as well. A sum may pass the array "
        "that it received on to both of its operands. Check which arrays your backward pass keeps and modifies.",
    ),
    "partial-fix": Misconception(
        "Gradient still overwritten in some operations",
        "At least one operation replaces the gradient of an operand and discards the contributions of other uses. "
        "Every operation must accumulate into the gradient of each of its operands. Compare the operations one by "
        "one.",
    ),
    "same-operand-special-case": Misconception(
        "Accumulation only within one operation",
        "Contributions are added when one operation uses a value twice, as in x * x, but not when two operations use "
        "it. The chain rule adds the contributions of all uses. Check how an operation combines its contribution with "
        "those of other operations.",
    ),
    "zeroes-inside-backward": Misconception(
        "Gradient cleared during the backward pass",
        "A gradient is reset to 0 during the backward pass, which discards contributions that it had already "
        "received. Check when gradients are cleared and which values still need theirs at that point.",
    ),
    "returns-operand": Misconception(
        "Operand returned as the result",
        "An operation returns one of its operands instead of a new value, so the result and the operand share one "
        "gradient. Create a new value for every result, even if its number is that of the operand.",
    ),
    "divides-shared": Misconception(
        "Contributions averaged instead of added",
        "The contributions to the gradient of a shared value are averaged, or their sum is divided by a count of "
        "uses. By the chain rule, each use contributes in full. Look for an average or a division where contributions "
        "are combined.",
    ),
    "double-count": Misconception(
        "Gradient propagated more than once",
        "Within a single pass, at least one value propagates its gradient to its operands more than once. Each node "
        "must propagate exactly once, after its own gradient is complete. Check what your traversal does when it "
        "reaches a node again.",
    ),
    "no-seed": Misconception(
        "Output gradient not seeded",
        "The backward pass does not start from the derivative of the output with respect to itself, which is 1. Every "
        "other gradient is a multiple of this seed. Check the gradient of the output when the pass begins.",
    ),
    "drops-nodes": Misconception(
        "Part of the graph never visited",
        "Some operations never propagate their gradient, so the values below them miss a contribution. Check when "
        "your traversal stops and which operands it follows.",
    ),
    "reflected-order": Misconception(
        "Incorrect reflected operators",
        "Expressions with a plain number on the left give wrong results: the operands are swapped, or the number is "
        "ignored. Python calls a method such as __radd__ or __rsub__ on the right operand and passes the number as "
        "its argument. Check which operand self is in these methods.",
    ),
    "operation-writes-grad": Misconception(
        "Gradient stored by the operation itself",
        "An operation stores a gradient in its operand, and the backward pass adds the same contribution once more. In "
        "this engine an operation only returns the gradients of its operands, and the pass adds them up. Check what "
        "each operation changes.",
    ),
    "saved-on-the-operand": Misconception(
        "Values for the backward pass overwritten",
        "A tensor that is used twice sends the gradient of its last use for both. What a backward pass needs belongs to "
        "the result, because one operand can have many results. Check where each operation keeps such values.",
    ),
    "cuts-the-graph": Misconception(
        "Result not connected to its operand",
        "A value is right, but no gradient goes back through the operation that computed it. A result that is not "
        "recorded is a constant for the backward pass. Check that each operation records what it did.",
    ),
    # across passes
    "compounding-interior": Misconception(
        "Stale gradients propagated again",
        "In a later backward pass, intermediate values still hold the gradient of an earlier pass and propagate it "
        "again. Only leaves accumulate gradients across passes. Check which gradients a new pass starts from.",
    ),
    "resets-leaf-grads": Misconception(
        "Leaf gradients cleared by the backward pass",
        "A backward pass replaces leaf gradients that an earlier pass computed. Leaves accumulate gradients across "
        "passes until they are cleared explicitly. Check which nodes your backward pass resets.",
    ),
    "forbids-second-call": Misconception(
        "Ineffective second backward pass",
        "A value that took part in one backward pass contributes nothing to a later one, or raises an exception. Each "
        "call must propagate through the whole graph of its output. Look for state that the first pass leaves behind.",
    ),
}

"""How gradients come together in a backward pass, and what one pass leaves for the next."""

from autograder.judge.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # within one pass
    "overwrites-instead-of-accumulating": Misconception(
        "Gradient overwritten instead of accumulated",
        "Some contributions to a gradient are lost, because a later write replaces what had already arrived. A value "
        "that is used several times receives one contribution from each use, and the chain rule adds them. Check every "
        "line that writes a gradient.",
    ),
    "partial-fix": Misconception(
        "Gradient still overwritten in some operations",
        "At least one operation still replaces the gradient of an operand and loses what other uses have contributed. "
        "Every operation has to accumulate, for each of its operands. Compare the operations one by one.",
    ),
    "same-operand-special-case": Misconception(
        "Accumulation only within one operation",
        "Contributions add up when one operation uses a value twice, as in x * x, but not when two operations use it. "
        "The chain rule adds the contributions of all uses, wherever they are.",
    ),
    "zeroes-inside-backward": Misconception(
        "Gradient cleared during the backward pass",
        "A gradient is set back to 0 during the pass, and contributions that had already arrived are lost. Check when "
        "gradients are cleared and which values still need theirs at that moment.",
    ),
    "divides-shared": Misconception(
        "Contributions averaged instead of added",
        "The gradient of a shared value is divided by a number of uses or contributions. In the chain rule each use "
        "contributes in full. Look for an average or a division where contributions meet.",
    ),
    "double-count": Misconception(
        "Gradient propagated more than once",
        "In a single pass, some value sends its gradient to its operands more than once. Each node must propagate "
        "exactly once, when its own gradient is complete. Check how your traversal treats a node that it reaches "
        "again.",
    ),
    "no-seed": Misconception(
        "Output gradient not seeded",
        "The backward pass does not start from the derivative of the output with respect to itself. All other "
        "gradients are multiples of that first one. Check which gradient the output holds when the pass begins.",
    ),
    "drops-nodes": Misconception(
        "Part of the graph never visited",
        "Some operations never propagate their gradient, and everything below them misses a contribution. Check when "
        "your traversal stops and which operands it follows.",
    ),
    "reflected-order": Misconception(
        "Reflected operators implemented incorrectly",
        "Expressions with a plain number on the left are wrong: the operands are exchanged, or the number is ignored. "
        "Python calls methods such as __radd__ and __rsub__ on the right operand and passes the number as the "
        "argument. Check what self stands for there.",
    ),
    # over several passes
    "compounding-interior": Misconception(
        "Stale gradients propagated again",
        "In a later backward pass, intermediate values still hold the gradient of an earlier pass and propagate it "
        "again. Only leaves accumulate over passes. Check which gradients a new pass starts from.",
    ),
    "resets-leaf-grads": Misconception(
        "Leaf gradients cleared by the backward pass",
        "A pass replaces gradients of leaves that an earlier pass had computed. Leaves accumulate over all passes "
        "until somebody clears them explicitly. Check which nodes your pass resets.",
    ),
    "forbids-second-call": Misconception(
        "Second backward pass has no effect",
        "A value that took part in one backward pass contributes nothing, or raises an error, in a later one. Each "
        "call propagates through its whole graph. Look for state that the first pass leaves behind.",
    ),
}

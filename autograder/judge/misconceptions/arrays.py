"""Vector-Jacobian products of array functions: broadcasting, reductions, matrix products, numerical stability."""

from autograder.judge.misconceptions.model import Misconception

MISCONCEPTIONS = {
    "vectors-as-matrices": Misconception(
        "Vector treated as a matrix",
        "An operand with one axis raises an exception where its last two axes are exchanged. A matrix product gives a vector a "
        "second axis and takes it away again. Check each rule for operands that have one axis.",
    ),
    # broadcasting
    "missing-unbroadcast": Misconception(
        "Broadcast not undone",
        "A gradient is not summed over all the copies that broadcasting made of its input. Every copy contributes to "
        "the output, so their gradients add up, and the result has the shape of the input. Check each input that is "
        "broadcast.",
    ),
    "leading-axes-only": Misconception(
        "Only leading axes summed",
        "The gradient is summed over the axes that broadcasting put in front, but not over axes that it stretched from "
        "size 1. Both kinds of axes hold copies of the input.",
    ),
    "keepdims-lost": Misconception(
        "Axis of size 1 lost or added",
        "An axis of size 1 is dropped or kept where it should not be. A reduction drops the axes that it goes over "
        "unless it is told to keep them, a gradient has exactly the shape of its input, and another shape broadcasts in "
        "another way. Check what each reduction does to its axes.",
    ),
    "reshape-instead-of-sum-axis": Misconception(
        "Copies folded with reshape",
        "The copies that broadcasting made are grouped in the order in which they lie in memory, and not along the "
        "axis that was stretched. That fits some shapes and mixes up the entries of others.",
    ),
    # reductions
    "missing-reduction": Misconception(
        "Reduction left out",
        "The numbers match a computation in which a sum or another reduction is left out, or replaced by one of the "
        "entries that it runs over. Compare the shape after each step with the one you expect.",
    ),
    "sum-vs-mean": Misconception(
        "Mean and sum exchanged",
        "The numbers match a computation in which a sum and a mean are exchanged. The two differ by the number of "
        "entries. Check each reduction, and what it divides by.",
    ),
    "max-vs-min": Misconception(
        "Maximum and minimum exchanged",
        "The numbers match a computation that takes a smallest entry for a largest one, or the other way round. Check "
        "each reduction that selects an entry.",
    ),
    "wrong-axis": Misconception(
        "Operation along the wrong axis",
        "The numbers match a reduction or an index along a different axis. Write down the shape before and after each "
        "step, with a different size for every axis.",
    ),
    "sum-over-all-axes": Misconception(
        "Sum over the whole array instead of each slice",
        "A sum runs over the whole array where each slice needs its own. Slices are independent: changing one must not "
        "change the gradient of another. Check the axis of each sum.",
    ),
    "global-max-shift": Misconception(
        "One maximum for the whole array",
        "The largest entry of the whole array is subtracted from every slice. Slices whose entries are far smaller "
        "then underflow to 0. Check over which axis the maximum is taken.",
    ),
    "elementwise-instead-of-dot": Misconception(
        "Elementwise product instead of a dot product",
        "The numbers match a computation in which products of entries are not summed. A dot product combines all "
        "entries into one number, so every entry of the input affects it.",
    ),
    "diag-only": Misconception(
        "Only the diagonal of the Jacobian used",
        "Each entry of the result is treated as a function of its own entry of the input alone. Entries that share a "
        "normaliser all depend on each other, and the off-diagonal entries of the Jacobian are not 0.",
    ),
    "missing-dot-term": Misconception(
        "Derivative of the normaliser incomplete",
        "The term that comes from the shared normaliser is missing or lacks a factor. The normaliser depends on every "
        "entry of its slice, so its derivative is part of each entry's gradient.",
    ),
    # matrices
    "missing-transpose": Misconception(
        "Missing or extra transpose",
        "The numbers match a computation in which a matrix is used untransposed, or transposed where it should not be. "
        "Write down the shape of each factor, with sizes that all differ.",
    ),
    "reshape-for-transpose": Misconception(
        "Reshape used as a transpose",
        "The shape is right, but the entries stand in the order of another arrangement of the axes. reshape only regroups "
        "the entries in memory order; it does not exchange axes.",
    ),
    "aligned-left": Misconception(
        "Axes matched by size instead of from the right",
        "The axes that were kept and those that were summed are told apart by their sizes, starting at the left. "
        "Broadcasting aligns shapes at the last axis. Try an operand of shape (n, 1) or (n,) where another axis also has "
        "size n.",
    ),
    "finite-mask": Misconception(
        "Finite number in place of -inf",
        "Where a slice has no entry but -inf, the result is that of a large negative number in its place. Such a slice "
        "has a logarithm of a sum of -inf, and its softmax is not uniform. Decide what an empty slice gives before any "
        "number is replaced.",
    ),
    "transposes-all-axes": Misconception(
        "Batch axes transposed too",
        "The axes in front are reversed together with the last two, which mixes up the matrices of a batch. Check what "
        "your transpose does to an array with more than two axes.",
    ),
    "only-contiguous": Misconception(
        "Memory order taken for index order",
        "Only arrays with an unusual memory layout, such as transposed or strided views, give wrong results, and their "
        "entries are in the wrong order. Look for an operation that reads entries in memory order.",
    ),
    # stability
    "overflow": Misconception(
        "Overflow or underflow",
        "An intermediate result is too large or too small for a float and turns into inf, nan or 0; all other entries "
        "are right. Find the step that leaves the range of a float for the inputs of the failed check.",
    ),
    "nan-on-masked-row": Misconception(
        "Masked entries not handled",
        "The results are nan or inf where the input is -inf. If a whole slice is -inf, its maximum is -inf and its "
        "exponentials add up to 0. Follow such a slice through each step of your computation.",
    ),
    "pow-through-division": Misconception(
        "Power computed with a division",
        "The numbers match a power that is computed by dividing by its base, which fails where the base is 0. Check "
        "how each exponent in your derivative is computed, including an exponent of 0.",
    ),
    "zero-division": Misconception(
        "Division by zero",
        "The results are nan or inf only where an input contains a 0. Look for a quotient whose denominator vanishes there.",
    ),
}

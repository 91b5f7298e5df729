"""Misconceptions about VJPs of array functions: broadcasting, reductions, matrix products, numerical stability."""

from autograder.explain.misconceptions.model import Misconception

MISCONCEPTIONS = {
    "vectors-as-matrices": Misconception(
        "Vector treated as a matrix",
        "An operand with one axis raises an exception where the code swaps its last two axes. A matrix product treats "
        "a vector as a matrix with an extra axis of size 1 and removes that axis from the result. Check each gradient "
        "for operands with one axis.",
    ),
    # broadcasting
    "missing-unbroadcast": Misconception(
        "Broadcast not undone",
        "A gradient is not summed over all the copies that broadcasting made of an input. Every copy contributes to "
        "the output, so their gradients add up, and the result has the shape of the input. Check each input that is "
        "broadcast.",
    ),
    "leading-axes-only": Misconception(
        "Only leading axes summed",
        "The gradient is summed over the axes that broadcasting prepended, but not over the axes that it expanded "
        "from size 1. Both kinds of axes hold copies of the input. Check an input that has an axis of size 1.",
    ),
    "keepdims-lost": Misconception(
        "Axis of size 1 lost or added",
        "An axis of size 1 is dropped or kept where it should not be. A reduction removes the axes that it reduces "
        "unless it is told to keep them, and an array of another shape broadcasts differently. Check what each "
        "reduction does to its axes.",
    ),
    "reshape-instead-of-sum-axis": Misconception(
        "Copies grouped with reshape",
        "The copies that broadcasting made are grouped by memory order and not along the axis that was expanded. This "
        "works for some shapes and mixes up the entries of others. Check along which axis the copies of an entry lie.",
    ),
    # reductions
    "missing-reduction": Misconception(
        "Omitted reduction",
        "The numbers match a computation in which a sum or another reduction is missing, or replaced by one of the "
        "entries that it reduces. Compare the shape after each step with the shape that you expect.",
    ),
    "sum-vs-mean": Misconception(
        "Mean and sum confused",
        "The numbers match a computation in which a sum and a mean are swapped. The two differ by a factor, the "
        "number of entries. Check each reduction and what it divides by.",
    ),
    "max-vs-min": Misconception(
        "Maximum and minimum confused",
        "The numbers match a computation that takes a minimum instead of a maximum, or the other way round. Check "
        "each reduction that selects an entry.",
    ),
    "wrong-axis": Misconception(
        "Operation along the wrong axis",
        "The numbers match a reduction or an index along a different axis. Write down the shape before and after each "
        "step, using a different size for every axis.",
    ),
    "sum-over-all-axes": Misconception(
        "Sum over the whole array instead of each slice",
        "A sum runs over the whole array where each slice needs its own sum. Slices are independent: a change in one "
        "slice must not affect the gradient of another. Check the axis of each sum.",
    ),
    "global-max-shift": Misconception(
        "One maximum for the whole array",
        "The maximum of the whole array is subtracted from every slice. The exponentials of slices with much smaller "
        "entries then underflow to 0. Check over which axis the maximum is taken.",
    ),
    "elementwise-instead-of-dot": Misconception(
        "Elementwise product instead of a dot product",
        "The numbers match a computation in which elementwise products are not summed. A dot product combines all "
        "entries into one number, so every entry of the input affects it. Look for a product that needs a sum.",
    ),
    "diag-only": Misconception(
        "Only the diagonal of the Jacobian used",
        "Each entry of the result is treated as a function of the corresponding entry of the input alone. Entries "
        "that share a normaliser all depend on each other, so the off-diagonal entries of the Jacobian are not 0. "
        "Check which entries of the input contribute to each gradient.",
    ),
    "missing-dot-term": Misconception(
        "Incomplete derivative of the normaliser",
        "The term that comes from the shared normaliser is missing or lacks a factor. The normaliser depends on every "
        "entry of its slice, so its derivative is part of each entry's gradient. Compare your expression term by term "
        "with a derivation on paper.",
    ),
    "wrong-count": Misconception(
        "Divided by the wrong number of elements",
        "The numbers match a computation that divides by a different number of elements. Each slice has its own number. "
        "Count by hand, for an input of the failed check, how many elements share the result.",
    ),
    "biased-vs-unbiased": Misconception(
        "Variance divided by the wrong count",
        "The numbers match the other definition of the variance: the sum of squares is divided by the number of elements "
        "where a corrected count is due, or the other way round. Check which definition the statement uses in each place.",
    ),
    "only-2d": Misconception(
        "Correct for matrices only",
        "Matrices give the right results, and arrays with fewer or more axes do not. Code for any number of axes treats "
        "all leading axes alike. Write down the shape after each step for an array with one axis, and for one with three.",
    ),
    # matrices
    "missing-transpose": Misconception(
        "Missing or extra transpose",
        "The numbers match a computation in which a transpose is missing or should not be there. Write down the shape "
        "of each factor, using sizes that all differ.",
    ),
    "reshape-for-transpose": Misconception(
        "Reshape used as a transpose",
        "The shape is right, but the entries are in the order of a different arrangement of the axes. reshape keeps "
        "the entries in memory order and does not swap axes. Check each step that changes the shape.",
    ),
    "aligned-left": Misconception(
        "Axes matched by size instead of from the right",
        "Axes are matched by size, starting from the left, to decide which ones were broadcast. Broadcasting aligns "
        "shapes at the last axis. Try an operand of shape (n, 1) or (n,) where another axis also has size n.",
    ),
    "finite-mask": Misconception(
        "Finite number in place of -inf",
        "In a slice whose entries are all -inf, the result is the one for a large negative number instead of -inf. "
        "The log-sum-exp of such a slice is -inf, and its softmax is not uniform. Decide what such a slice should "
        "give before you replace any entries.",
    ),
    "transposes-all-axes": Misconception(
        "Batch axes transposed too",
        "The batch axes are reversed together with the last two axes, which mixes up the matrices of a batch. Check "
        "what your transpose does to an array with more than two axes.",
    ),
    "only-contiguous": Misconception(
        "Memory order confused with index order",
        "Only arrays with an unusual memory layout, such as transposed or strided views, give wrong results, and "
        "their entries are in the wrong order. Look for an operation that reads entries in memory order.",
    ),
    # normalisation
    "stats-treated-constant": Misconception(
        "Mean and variance treated as constants",
        "The gradient ignores that the mean and the variance are computed from the input. Each entry of the input affects "
        "the output directly and through both statistics, and the contributions of all paths add up.",
    ),
    "missing-mean-term": Misconception(
        "Path through the mean left out",
        "The gradient ignores that the mean is computed from the input. Each entry affects the mean, and the mean is "
        "subtracted from every entry of its slice. Draw the graph of the forward pass and count the paths.",
    ),
    "missing-variance-term": Misconception(
        "Path through the variance left out",
        "The gradient ignores that the variance is computed from the input. Each entry affects the variance, and every "
        "entry of the slice is divided by its square root. Draw the graph of the forward pass and count the paths.",
    ),
    "missing-gamma": Misconception(
        "Scale of the normalised values left out",
        "The gradient with respect to the input is computed as if the scale that multiplies the normalised values were 1, "
        "at least in one place. Follow the upstream gradient backwards through the forward pass, operation by operation.",
    ),
    "eps-outside-sqrt": Misconception(
        "Epsilon added in the wrong place",
        "The numbers match a normalisation in which epsilon is not added where the formula of the statement adds it, or "
        "not at all. The difference is small unless the variance is small. Compare value and gradient with the formula.",
    ),
    # stability
    "overflow": Misconception(
        "Overflow or underflow",
        "An intermediate result is too large or too small for a float and becomes inf, nan or 0; all other entries "
        "are right. Find the step that overflows or underflows for the inputs of the failed check.",
    ),
    "nan-on-masked-row": Misconception(
        "Masked entries not handled",
        "The results are nan or inf where the input is -inf. If a whole slice is -inf, its maximum is -inf and its "
        "exponentials sum to 0. Trace such a slice through each step of your computation.",
    ),
    "pow-through-division": Misconception(
        "Power computed with a division",
        "The numbers match a power that is computed with a division by its base, which fails where the base is 0. "
        "Check how your derivative computes each power, including one with exponent 0.",
    ),
    "zero-division": Misconception(
        "Division by zero",
        "The results are nan or inf only where an input contains a 0. Look for a quotient whose denominator is 0 there.",
    ),
    "undefined-for-negatives": Misconception(
        "Undefined for negative inputs",
        "The results are nan exactly where the input is negative. Look for a logarithm, a root or a power with a "
        "fractional exponent that is computed of the input itself.",
    ),
}

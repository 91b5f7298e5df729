"""The chain rule in one operation: upstream gradients, local derivatives, signs, constants, kinks."""

from autograder.judge.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # upstream gradients
    "missing-upstream": Misconception(
        "Upstream gradient left out",
        "At least one gradient is computed as if the upstream gradient were 1. The chain rule multiplies the local "
        "derivative of an operation by the gradient that arrives at its output. Check every gradient that an operation "
        "passes on.",
    ),
    "wrong-upstream": Misconception(
        "Wrong upstream gradient used",
        "A local derivative is multiplied by something other than the gradient of that operation's output. In the "
        "chain rule, the upstream gradient belongs to the output of the operation that is differentiated. Check which "
        "gradient each operation reads.",
    ),
    "upstream-squared": Misconception(
        "Upstream gradient applied twice",
        "The results contain the square of the upstream gradient. A vector-Jacobian product is linear in the upstream "
        "gradient: if that doubles, the result doubles. Look for a place where it is multiplied in a second time.",
    ),
    "upstream-reduced": Misconception(
        "Upstream gradient summed too early",
        "The results depend only on the sum or the mean of the upstream gradient. Every entry of the output has its "
        "own upstream gradient, which is multiplied by its own local derivative before anything is summed.",
    ),
    "mask-of-upstream": Misconception(
        "Mask computed from the upstream gradient",
        "Whether a gradient passes depends on the upstream gradient itself. A mask belongs to the forward pass: it "
        "depends on the input and stays the same whatever the upstream gradient is. Check what the condition compares.",
    ),
    # local derivatives
    "missing-local-derivative": Misconception(
        "Missing factor in the chain rule",
        "The numbers match a computation in which one factor of a product is left out. Along a path through the graph, "
        "the chain rule multiplies the local derivatives of all operations. Check that each of them is there in full.",
    ),
    "missing-local-factor": Misconception(
        "Missing factor in a local derivative",
        "The numbers match a computation in which one factor of a product is left out, as happens when a local "
        "derivative is written down incompletely. Differentiate the operation by hand and compare factor by factor.",
    ),
    "wrong-local-derivative": Misconception(
        "Incorrect local derivative",
        "The numbers match a computation in which one operation has a different local derivative and all others are "
        "right. Differentiate that operation by hand, and compare its value with yours at one of the inputs of the "
        "failed check.",
    ),
    "product-quotient-exchanged": Misconception(
        "Multiplication and division exchanged",
        "The numbers match a computation that multiplies where it should divide, or divides where it should multiply. "
        "Compare the numerator and the denominator of each expression with a derivation on paper.",
    ),
    "operands-swapped": Misconception(
        "Operands or their gradients swapped",
        "The numbers match a computation in which two operands, arguments or gradients have changed places. Each input "
        "receives the gradient with respect to itself, and the order matters in differences, quotients and matrix "
        "products.",
    ),
    "missing-operand-gradient": Misconception(
        "Operand without a gradient",
        "The numbers match a backward pass in which an operand never receives a contribution. An operation with two "
        "inputs has two partial derivatives. Check that each operation sends a gradient to all of its operands.",
    ),
    "missing-product-term": Misconception(
        "Missing term in a sum",
        "The numbers match a computation in which one term of a sum, or one factor of a summed product, is left out. "
        "Differentiating a product gives one term for each factor. Compare your sums term by term with a derivation on "
        "paper.",
    ),
    "wrong-constant": Misconception(
        "Incorrect constant or factor",
        "The numbers match a computation with one constant changed: a factor, an exponent, an index or a starting "
        "value. Derive the expression by hand and compare its constants with those in your code.",
    ),
    "wrong-sign": Misconception(
        "Sign error",
        "The numbers match a computation in which one sign is flipped, or a sum and a difference are exchanged. Check "
        "the sign of each term against a derivation on paper.",
    ),
    "wrong-exponent": Misconception(
        "Incorrect exponent in a derivative",
        "The numbers match a derivative with the wrong power of its argument. The power rule changes the exponent as "
        "well as the factor in front: check both, also for negative and fractional exponents.",
    ),
    "wrong-scale": Misconception(
        "Right direction, wrong scale",
        "The result points in the right direction but has the wrong length. Look for a missing or extra factor that "
        "all entries share, such as a batch size or the length of a vector.",
    ),
    "double-counting": Misconception(
        "Contribution counted twice",
        "The results contain one contribution or factor twice. Each path through the graph contributes exactly once. "
        "Check whether the same product is added in two places.",
    ),
    "scaled-twice": Misconception(
        "Factor applied twice",
        "The numbers match a computation in which one factor, such as a weight, is multiplied in twice. Follow that "
        "factor from the forward pass to the gradient and count where it is applied.",
    ),
    # inputs and outputs
    "output-for-input": Misconception(
        "Output used in place of the input",
        "The output of an operation stands where its input, or its local derivative, belongs. Check for each formula "
        "whether it is written in terms of the argument or of the result.",
    ),
    "formula-of-output-at-input": Misconception(
        "Output formula evaluated at the input",
        "The input of an operation stands where its output belongs. Some derivatives are usually written in terms of "
        "the output, and those formulas do not hold for the input. Check which of the two yours receives.",
    ),
    "stale-saved-value": Misconception(
        "Wrong intermediate result used",
        "The numbers match a derivative that is evaluated at a different intermediate result of the forward pass, such "
        "as an output in place of an input. Check for each formula which value it needs.",
    ),
    # kinks, masks and special points
    "formula-invalid-at-zero": Misconception(
        "Derivative formula breaks down at zero",
        "The numbers match a derivative that divides by its argument or takes its logarithm. Such a formula agrees "
        "with the derivative elsewhere but not at 0. Evaluate yours there by hand.",
    ),
    "mask-inverted": Misconception(
        "Gradient mask inverted",
        "The gradient passes where it should be blocked and is blocked where it should pass. Check the direction of "
        "the comparison that builds the mask.",
    ),
    "wrong-mask": Misconception(
        "Wrong condition or mask",
        "The numbers match a computation in which one condition selects different cases. Evaluate the condition by "
        "hand for an input of the failed check, also at its boundary.",
    ),
    "missing-mask": Misconception(
        "Mask missing",
        "The gradient also passes where it should be blocked. Where the forward pass does not depend on an input, that "
        "input's gradient is 0.",
    ),
    "mask-of-output": Misconception(
        "Mask computed from the output",
        "The numbers match a mask or derivative that is evaluated at a computed result and not at the input itself. "
        "Near a threshold the two differ. Check which tensor the condition looks at.",
    ),
    "missing-clip-mask": Misconception(
        "Gradient not blocked outside the window",
        "On at least one side of the window, the gradient is not set to 0. Compare the condition with both ends of the "
        "interval in which the gradient may pass.",
    ),
    "wrong-kink-value": Misconception(
        "Wrong value at the kink",
        "The results are wrong only where an input lies at the threshold or right next to it. At a kink the derivative "
        "is a convention, which the statement of the exercise fixes. Check whether your comparison includes the "
        "boundary.",
    ),
    "missing-guard": Misconception(
        "Special case not handled",
        "The numbers match a computation in which a special case is treated like every other input. Look for inputs "
        "that the statement of the exercise mentions separately.",
    ),
    "missing-function": Misconception(
        "Function not applied",
        "The numbers match a computation in which an elementwise function is left out and its argument is used as it "
        "is. Compare the expression with the formula, function by function.",
    ),
}

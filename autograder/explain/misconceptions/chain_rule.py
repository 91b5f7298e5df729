"""Misconceptions about the chain rule within one operation: upstream gradients, local derivatives, signs, kinks."""

from autograder.explain.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # upstream gradients
    "missing-upstream": Misconception(
        "Upstream gradient left out",
        "At least one gradient is computed as if the upstream gradient were 1. By the chain rule, the local "
        "derivative of an operation is multiplied by the gradient of its output. Check every gradient that an "
        "operation propagates.",
    ),
    "wrong-upstream": Misconception(
        "Wrong upstream gradient used",
        "A local derivative is multiplied by something other than the gradient of the operation's output. In the "
        "chain rule, the upstream gradient is the gradient with respect to the output of the operation. Check which "
        "gradient each operation reads.",
    ),
    "upstream-squared": Misconception(
        "Upstream gradient applied twice",
        "The results contain the square of the upstream gradient. A vector-Jacobian product is linear in the upstream "
        "gradient: if the upstream gradient doubles, the result doubles. Look for a place where it is multiplied in a "
        "second time.",
    ),
    "upstream-reduced": Misconception(
        "Upstream gradient summed too early",
        "The results depend only on the sum or the mean of the upstream gradient. Every entry of the output has its "
        "own upstream gradient, which is multiplied by its own local derivative before anything is summed. Look for a "
        "reduction of the upstream gradient.",
    ),
    "mask-of-upstream": Misconception(
        "Mask computed from the upstream gradient",
        "The upstream gradient itself decides where the gradient passes. A mask is part of the forward pass: it "
        "depends on the input, whatever the upstream gradient is. Check which tensor the condition tests.",
    ),
    # local derivatives
    "missing-local-derivative": Misconception(
        "Missing factor in the chain rule",
        "The numbers match a computation in which one factor of a product is missing. Along a path through the graph, "
        "the chain rule multiplies the local derivatives of all operations. Check that none of them is missing or "
        "incomplete.",
    ),
    "missing-local-factor": Misconception(
        "Missing factor in a local derivative",
        "The numbers match a computation in which one factor of a product is missing, as in an incomplete local "
        "derivative. Differentiate the operation by hand and compare factor by factor.",
    ),
    "wrong-local-derivative": Misconception(
        "Incorrect local derivative",
        "The numbers match a computation in which one operation has a different local derivative and all others are "
        "right. Differentiate this operation by hand and compare the value with yours at one of the inputs of the "
        "failed check.",
    ),
    "product-quotient-exchanged": Misconception(
        "Multiplication and division confused",
        "The numbers match a computation that multiplies where it should divide, or divides where it should multiply. "
        "Compare the numerator and the denominator of each expression with a derivation on paper.",
    ),
    "operands-swapped": Misconception(
        "Operands or their gradients swapped",
        "The numbers match a computation in which two operands, arguments or gradients are swapped. Each input "
        "receives the gradient with respect to itself, and the order matters in differences, quotients and matrix "
        "products. Check each pair against the signature of the operation.",
    ),
    "missing-operand-gradient": Misconception(
        "Operand without a gradient",
        "The numbers match a backward pass in which an operand never receives a contribution. An operation with two "
        "inputs has two partial derivatives. Check that each operation propagates a gradient to all of its operands.",
    ),
    "missing-product-term": Misconception(
        "Missing term in a sum",
        "The numbers match a computation in which one term of a sum, or one factor of a summed product, is missing. "
        "The derivative of a product has one term for each factor. Compare your sums term by term with a derivation "
        "on paper.",
    ),
    "wrong-constant": Misconception(
        "Incorrect constant or factor",
        "The numbers match a computation with a different constant: a factor, an exponent, an index or an initial "
        "value. Derive the expression by hand and compare its constants with those in your code.",
    ),
    "wrong-sign": Misconception(
        "Sign error",
        "The numbers match a computation in which one sign is flipped, or a sum and a difference are swapped. Check "
        "the sign of each term against a derivation on paper.",
    ),
    "wrong-exponent": Misconception(
        "Incorrect exponent in a derivative",
        "The numbers match a derivative with the wrong power of its argument. The power rule changes both the "
        "exponent and the factor in front. Check both, also for negative and fractional exponents.",
    ),
    "wrong-scale": Misconception(
        "Right direction, wrong scale",
        "The result has the right direction but the wrong length. Look for a missing or extra factor that all entries "
        "share, such as a batch size or the norm of a vector.",
    ),
    "double-counting": Misconception(
        "Contribution counted twice",
        "The results contain one contribution or factor twice. Each path through the graph contributes exactly once. "
        "Check whether the same product is added in two places.",
    ),
    "scaled-twice": Misconception(
        "Factor applied twice",
        "The numbers match a computation in which one factor, such as a weight, is applied twice. Trace this factor "
        "from the forward pass to the gradient and count how often it is applied.",
    ),
    # inputs and outputs
    "output-for-input": Misconception(
        "Output used in place of the input",
        "The output of an operation is used in place of its input or of its local derivative. Check for each formula "
        "whether it is written in terms of the input or the output.",
    ),
    "formula-of-output-at-input": Misconception(
        "Output formula evaluated at the input",
        "The input of an operation is used where its output belongs. Some derivatives are usually written in terms of "
        "the output, and these formulas do not hold for the input. Check which of the two your formula receives.",
    ),
    "stale-saved-value": Misconception(
        "Wrong intermediate result used",
        "The numbers match a derivative that is evaluated at the wrong intermediate result of the forward pass, such "
        "as an output instead of an input. Check for each formula which value it needs.",
    ),
    # kinks, masks and special points
    "formula-invalid-at-zero": Misconception(
        "Derivative formula invalid at zero",
        "The numbers match a derivative that divides by its argument or takes its logarithm. Such a formula equals "
        "the derivative elsewhere but is undefined at 0. Evaluate your formula at 0 by hand.",
    ),
    "mask-inverted": Misconception(
        "Gradient mask inverted",
        "The gradient passes where it should be blocked and is blocked where it should pass. Check the direction of "
        "the comparison that creates the mask.",
    ),
    "wrong-mask": Misconception(
        "Wrong condition or mask",
        "The numbers match a computation in which one condition is different, so it selects other cases. Evaluate the condition by "
        "hand for an input of the failed check, and at its boundary.",
    ),
    "missing-mask": Misconception(
        "Missing gradient mask",
        "The gradient also passes where it should be blocked. Where the output does not depend on an input, the "
        "gradient with respect to this input is 0. Check for which inputs the forward pass is constant.",
    ),
    "mask-of-output": Misconception(
        "Mask computed from the output",
        "The numbers match a mask or derivative that is evaluated at a computed result and not at the input. The two "
        "differ near a threshold. Check which tensor the condition tests.",
    ),
    "missing-clip-mask": Misconception(
        "Gradient not blocked outside the window",
        "On at least one side of the window, the gradient is not set to 0. Compare the condition with both ends of "
        "the interval in which the gradient may pass.",
    ),
    "wrong-kink-value": Misconception(
        "Wrong value at the kink",
        "The results are wrong only where an input lies at the threshold or right next to it. At a kink the "
        "derivative is a convention, which the statement of the exercise specifies. Check whether your comparison "
        "includes the boundary.",
    ),
    "missing-guard": Misconception(
        "Special case not handled",
        "The numbers match a computation in which a special case is treated like any other input. Look for inputs "
        "that the statement of the exercise mentions separately.",
    ),
    "missing-function": Misconception(
        "Function not applied",
        "The numbers match a computation in which an elementwise function is not applied, so that its argument is "
        "used unchanged. Compare the expression with the formula, function by function.",
    ),
}

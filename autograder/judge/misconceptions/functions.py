"""Custom autograd functions, straight-through estimators, second derivatives."""

from autograder.judge.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # autograd.Function
    "detached-saved-value": Misconception(
        "Saved tensor detached",
        "The second derivative misses a term or cannot be computed, because a saved tensor is detached and counts as a "
        "constant. Check each tensor between save_for_backward and its use in backward.",
    ),
    "saved-intermediate": Misconception(
        "Saved intermediate treated as a constant",
        "The second derivative misses a term or cannot be computed, because what forward computed and saved counts as "
        "a constant in backward. Only inputs and outputs that are saved stay connected to the graph.",
    ),
    "ctx-attribute": Misconception(
        "Tensor stored on ctx instead of saved",
        "The results match a function that keeps a tensor as an attribute of ctx. Autograd does not track such a "
        "tensor and cannot detect that it is modified in place later. Check how tensors get from forward to backward.",
    ),
    "no-second-order": Misconception(
        "No second derivative",
        "The second derivative is 0 or cannot be computed. It is taken of the first one, so everything that computes a "
        "gradient, including a custom backward, must itself be recorded. Look for whatever prevents that.",
    ),
    "wrong-arity": Misconception(
        "Wrong number of gradients returned",
        "backward returns a different number of gradients than forward has inputs, or returns them in the wrong "
        "places. There is one for each argument of forward, and ctx is not one of them.",
    ),
    # straight-through estimators
    "forward-changed": Misconception(
        "Forward value changed",
        "The value of the forward pass is not the exact one, but that of the surrogate or a rounded mixture of the "
        "two. A straight-through estimator changes only the gradient. Compare the values bit by bit.",
    ),
    "true-derivative": Misconception(
        "True derivative instead of the surrogate",
        "The gradient is 0, which is the true derivative of a step function almost everywhere. A straight-through "
        "estimator replaces that derivative in the backward pass.",
    ),
    "round-half-up": Misconception(
        "Ties rounded to the wrong neighbour",
        "Only numbers halfway between two integers are rounded differently. The statement says which of the two "
        "neighbours is right. Check what your rounding does at 0.5, 1.5 and -0.5.",
    ),
    "wrong-rounding": Misconception(
        "Incorrect rounding",
        "The numbers match a different way of rounding. Check which neighbour your rounding picks for positive, "
        "negative and halfway values.",
    ),
    # second derivatives
    "missing-create-graph": Misconception(
        "First derivative not recorded",
        "The numbers match a second derivative taken of a gradient that carries no graph. A gradient can be "
        "differentiated again only if its computation was recorded. Check how the first one is taken.",
    ),
    "direction-not-detached": Misconception(
        "Direction differentiated too",
        "The result contains an extra term where the direction depends on the point. In a Hessian-vector product the "
        "direction is a constant. Check which tensors the second differentiation reaches.",
    ),
    "direction-ignored": Misconception(
        "Direction not used",
        "The result is the product of the Hessian with a vector of ones and does not depend on the given direction. "
        "Check where the direction enters your computation.",
    ),
    "diagonal-only": Misconception(
        "Hessian treated as diagonal",
        "Each entry of the direction is multiplied by one number, as if the Hessian were diagonal. In general every "
        "entry of the gradient depends on every entry of the point. Check when the direction is multiplied in.",
    ),
    "gauss-newton": Misconception(
        "Outer product of gradients instead of the Hessian",
        "The result uses the outer product of the gradient with itself. That contains first derivatives only. A "
        "Hessian is the derivative of the gradient.",
    ),
    "first-order-only": Misconception(
        "Gradient instead of a second derivative",
        "The result is the gradient, or the gradient times the direction, and contains no second derivative. A "
        "Hessian-vector product differentiates the gradient once more.",
    ),
    "hessian-twice": Misconception(
        "Hessian applied twice",
        "The result is the product of the Hessian with the right answer. Check how often you differentiate after the "
        "direction has been multiplied in.",
    ),
    "full-hessian": Misconception(
        "Full Hessian computed",
        "The computation is as expensive as one backward pass for each entry. A Hessian-vector product needs only a "
        "few, however many entries there are. Consider what can be multiplied before differentiating again.",
    ),
    "finite-difference": Misconception(
        "Finite difference instead of a derivative",
        "The result is right to some digits and no further, like a difference quotient with a fixed step. Its error "
        "depends on the step, and autograd computes the derivative without one.",
    ),
    "crash-when-constant": Misconception(
        "Result assumed to depend on the input",
        "The code fails for functions whose value or gradient does not depend on the point. Such a derivative is 0, "
        "and autograd has no graph to return it from. Check constant and linear functions.",
    ),
    "writes-grad": Misconception(
        "Caller's tensors modified",
        "After the call, .grad or requires_grad of the caller's tensors has changed. A function that computes a "
        "derivative should leave its arguments alone. Check which call writes to .grad.",
    ),
}

"""Misconceptions about autograd.Function, straight-through estimators and second derivatives."""

from autograder.explain.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # autograd.Function
    "detached-saved-value": Misconception(
        "Saved tensor detached",
        "The second derivative lacks a term or cannot be computed because a saved tensor is detached, which makes it "
        "a constant. Check what happens to each tensor between save_for_backward and its use in backward.",
    ),
    "saved-intermediate": Misconception(
        "Saved intermediate treated as a constant",
        "The second derivative lacks a term or cannot be computed because an intermediate result that forward "
        "computed and saved is a constant in backward. Only saved inputs and outputs remain connected to the graph. "
        "Check which tensors forward saves.",
    ),
    "ctx-attribute": Misconception(
        "Tensor stored on ctx instead of saved",
        "The results match a function that stores a tensor as an attribute of ctx. Autograd does not track such a "
        "tensor and cannot detect later in-place modifications. Check how tensors are passed from forward to "
        "backward.",
    ),
    "no-second-order": Misconception(
        "No second derivative",
        "The second derivative is 0 or cannot be computed. It differentiates the first derivative, so everything that "
        "computes a gradient, including a custom backward, must itself be recorded. Look for whatever prevents this.",
    ),
    "wrong-arity": Misconception(
        "Wrong number of gradients returned",
        "backward returns a different number of gradients than forward has inputs, or returns them in the wrong "
        "positions. It must return one gradient for each argument of forward; ctx is not one of them. Compare the two "
        "signatures.",
    ),
    # straight-through estimators
    "forward-changed": Misconception(
        "Forward value changed",
        "The forward value is not exact: it is the value of the surrogate, or a rounded combination of the two. A "
        "straight-through estimator changes only the gradient. Compare the values bit by bit.",
    ),
    "true-derivative": Misconception(
        "True derivative instead of the surrogate",
        "The gradient is 0, which is the true derivative of a step function almost everywhere. A straight-through "
        "estimator replaces this derivative in the backward pass. Check which function your backward pass "
        "differentiates.",
    ),
    "round-half-up": Misconception(
        "Ties rounded to the wrong neighbour",
        "Only numbers halfway between two integers are rounded differently. The statement specifies which of the two "
        "neighbours is right. Check what your rounding does at 0.5, 1.5 and -0.5.",
    ),
    "wrong-rounding": Misconception(
        "Incorrect rounding",
        "The numbers match a different rounding rule. Check which neighbour your rounding selects for positive, "
        "negative and halfway values.",
    ),
    # second derivatives
    "missing-create-graph": Misconception(
        "First derivative not recorded",
        "The numbers match a second derivative of a gradient that has no graph. A gradient can be differentiated "
        "again only if its computation was recorded. Check how the first derivative is computed.",
    ),
    "direction-not-detached": Misconception(
        "Direction differentiated too",
        "The result contains an extra term where the direction depends on the point. In a Hessian-vector product, the "
        "direction is a constant. Check which tensors the second differentiation reaches.",
    ),
    "direction-ignored": Misconception(
        "Direction not used",
        "The result is the product of the Hessian with a vector of ones and does not depend on the given direction. "
        "Check where your computation uses the direction.",
    ),
    "diagonal-only": Misconception(
        "Hessian treated as diagonal",
        "Each entry of the direction is multiplied by a single number, as if the Hessian were diagonal. In general, "
        "every entry of the gradient depends on every entry of the point. Check when you multiply by the direction.",
    ),
    "gauss-newton": Misconception(
        "Outer product of gradients instead of the Hessian",
        "The result uses the outer product of the gradient with itself, which contains only first derivatives. The "
        "Hessian is the derivative of the gradient. Check where your computation differentiates a second time.",
    ),
    "first-order-only": Misconception(
        "Gradient instead of a second derivative",
        "The result is the gradient, or the gradient times the direction, and contains no second derivative. A "
        "Hessian-vector product differentiates the gradient once more. Check how often your computation "
        "differentiates.",
    ),
    "hessian-twice": Misconception(
        "Hessian applied twice",
        "The result is the product of the Hessian with the right answer. Check how often you differentiate after "
        "multiplying by the direction.",
    ),
    "full-hessian": Misconception(
        "Full Hessian computed",
        "The computation costs as much as one backward pass for each entry. A Hessian-vector product needs only a few "
        "passes, whatever the number of entries. Consider what you can multiply before you differentiate again.",
    ),
    "finite-difference": Misconception(
        "Finite difference instead of a derivative",
        "The result is right only to a limited number of digits, like a difference quotient with a fixed step. The "
        "error of a difference quotient depends on its step; autograd computes the derivative without one. Check how "
        "your code computes each derivative.",
    ),
    "forward-pass-per-entry": Misconception(
        "One forward pass for every entry",
        "The gradients cost as much as one forward pass for every entry of the inputs. The chain rule gives all "
        "derivatives in one backward pass, which costs a few forward passes. Check where your code evaluates the "
        "function, or builds a row of a Jacobian, once for every entry.",
    ),
    "autograd-in-backward": Misconception(
        "Derivative left to autograd",
        "backward computes the function again with autograd and asks autograd for the derivative. A custom Function defines "
        "the derivative itself: write it as a formula of the saved tensors and the upstream gradient. The check calls "
        "backward in inference mode, in which autograd records nothing.",
    ),
    "forward-pass-per-value": Misconception(
        "One forward pass for every value",
        "The time grows with the square of the number of values, as it does when the whole graph is computed again for a "
        "small step in every value. The chain rule visits each value once: its gradient comes from the gradients of the "
        "values that it went into. Check how often backward() computes a value again.",
    ),
    "crash-when-constant": Misconception(
        "Result assumed to depend on the input",
        "The code fails for functions whose value or gradient does not depend on the point. Their derivative is 0, "
        "but autograd has no graph from which to compute it. Check constant and linear functions.",
    ),
    "writes-grad": Misconception(
        "Caller's tensors modified",
        "After the call, .grad or requires_grad of the caller's tensors has changed. A function that computes a "
        "derivative should not modify its arguments. Check which call writes to .grad.",
    ),
}

"""The third entry answers "does it have a grad_fn" instead of "grad_fn is None"."""

leaves_with_grad = {2, 4, 5, 10, 11, 13}
constants = {1, 7, 8, 9, 14, 16}
results = {3, 6, 12, 15}

answers = {}
for n in range(1, 17):
    is_leaf = n not in results
    requires_grad = n not in constants
    grad_fn = n in results
    answers["t%d" % n] = (is_leaf, requires_grad, grad_fn)

answers["t17"] = "none"
answers["t18"] = "none"
answers["t19"] = "zeros"

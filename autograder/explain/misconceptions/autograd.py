"""Misconceptions about torch.autograd: recording, detaching, retaining graphs, clearing and accumulating gradients."""

from autograder.explain.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # stopping gradients
    "missing-stop-gradient": Misconception(
        "Gradient not stopped",
        "The gradient flows through a branch that should be detached, so a part that should be constant is trained "
        "too. Decide for each term which tensor is the target and whether gradients may flow into it.",
    ),
    "both-detached": Misconception(
        "Too much detached",
        "A part that should be trained receives no gradient, as if it were detached too. Every parameter that should "
        "learn needs at least one path from the loss that is not detached. Check what each detach excludes from the "
        "graph.",
    ),
    "wrong-branch": Misconception(
        "Detach or weight on the wrong side",
        "The numbers match a loss in which a detach or a weight is on the opposite side, so the wrong part is "
        "trained, or the right part is trained with the wrong weight. Check for each term which of its two sides should move.",
    ),
    "detached-branch": Misconception(
        "Branch detached from the graph",
        "The gradient along one branch is missing, as if a value were detached there. A value that is used several "
        "times receives a contribution from every use that is part of the graph. Look for detach, item, no_grad or a "
        "conversion to NumPy.",
    ),
    "no-grad-around-everything": Misconception(
        "Gradient not recorded",
        "The numbers match a program that does not record a computation, or does not call backward, where a gradient "
        "is needed. Check which lines run with gradients disabled and how often backward is reached.",
    ),
    "zero-gradient": Misconception(
        "Zero instead of a gradient",
        "Results that should not be 0 are all 0. A gradient is 0 where the path from the output to the input is cut "
        "or contains a factor of 0. Check each step of this path.",
    ),
    "none-gradient": Misconception(
        "None instead of a gradient",
        "At least one result is None where a gradient is required. Autograd uses None for an input that is not "
        "connected to the output. Check what is returned for this input and whether the output depends on it.",
    ),
    "none-for-unreached": Misconception(
        "Parameters without a gradient not handled",
        "A loss does not depend on every parameter, and the parameters that it does not reach are not reported as "
        "zeros: they are None, are missing, or cause an exception. Check what your code does for such a parameter.",
    ),
    # accumulation in .grad
    "missing-zero-grad": Misconception(
        "Gradients not cleared in time",
        "Gradients of earlier backward passes are still in .grad and are added to the new ones. backward accumulates "
        "into .grad. Check what .grad contains just before each backward pass, including the first.",
    ),
    "zero-between-backward-and-step": Misconception(
        "Gradients cleared before the step",
        "New gradients are cleared after backward and before the optimiser uses them. Trace .grad through one "
        "iteration: where it is filled, where it is used, and where it is cleared.",
    ),
    "leaks-other-loss-grad": Misconception(
        "Gradient of the other loss used in a step",
        "A step for one group of parameters uses a gradient that the other loss left in .grad. A backward pass "
        "accumulates into .grad of every parameter that it reaches, in both groups. Check what .grad contains when "
        "each optimiser steps.",
    ),
    "stale-loss": Misconception(
        "Both losses evaluated before the first update",
        "The second group is updated with a gradient that was computed before the first group changed. Check when "
        "each loss is evaluated and which updates have happened by then.",
    ),
    "rebinds-parameter": Misconception(
        "Parameter replaced instead of updated",
        "The update creates new tensors instead of changing the parameters in place. The caller, the loss function and "
        "the optimiser still hold the old ones. Update each parameter in place, without recording the update.",
    ),
    "updates-other-group": Misconception(
        "Other parameters updated too",
        "The numbers match a program in which every step updates all parameters, including those that belong to the "
        "other loss. An optimiser updates each of its parameters that has a gradient. Check which parameters each "
        "step may change.",
    ),
    "compensates-lr": Misconception(
        "Learning rate reduced to offset accumulation",
        "Gradients accumulate over the steps while the learning rate decreases to compensate. Each step still "
        "contains gradients from earlier points. Fix the accumulation instead of its effect.",
    ),
    "missing-learning-rate": Misconception(
        "Learning rate not applied",
        "The parameters move by the full gradient, as if the learning rate were 1. Check what each step subtracts.",
    ),
    "grads-not-separated": Misconception(
        "Gradients of two losses added together",
        "A result that belongs to one loss also contains the gradient of another. Every backward pass accumulates "
        "into the same .grad. Check what .grad contains when the second pass begins.",
    ),
    "aliases-grad": Misconception(
        "Reference to .grad returned instead of a copy",
        "The results change after they were computed because they share memory with .grad. Anything that later "
        "modifies .grad in place also modifies them. Check which tensors your code returns or stores.",
    ),
    "entries-summed": Misconception(
        "Separate results added together",
        "One entry of the answer is the sum of two entries that should be separate. Look for a variable or a .grad "
        "that is not reset between them.",
    ),
    # lifetime of graphs
    "retains-graph": Misconception(
        "Graph retained after its last use",
        "The numbers are right, but the graph and its saved tensors stay in memory after the last backward pass. A "
        "graph is needed only until the last pass through it. Check which passes still need it afterwards.",
    ),
    "graph-freed": Misconception(
        "Graph freed before its last use",
        "The second backward pass raises an exception because the first one freed the saved tensors of the shared "
        "part. Check which passes go through the shared part and what each of them keeps for the next one.",
    ),
    "recompute-trunk": Misconception(
        "Shared part recomputed",
        "The shared part of the model runs more than once. This makes the forward pass more expensive, and the "
        "results of the runs can differ. Check what must be kept for the second backward pass.",
    ),
    "keeps-graphs": Misconception(
        "Earlier graphs kept alive",
        "The graphs of earlier steps are still in memory when the next step is computed. Check what you store or add "
        "up, whether it has a grad_fn, and when each backward pass runs.",
    ),
    "tensors-in-log": Misconception(
        "Tensors stored in the log",
        "The log contains tensors where plain numbers are required. A tensor with a grad_fn keeps its whole graph in "
        "memory. Check the type of everything that you log.",
    ),
    "returns-graph": Misconception(
        "Result still attached to a graph",
        "The returned tensor has a grad_fn or requires grad. Anyone who stores it keeps its whole graph in memory. "
        "Check what the function returns.",
    ),
    "state-keeps-chain": Misconception(
        "State carried over with its history",
        "A state is passed on together with its graph, so a backward pass continues into earlier steps. Check where "
        "the history should be cut, before the first step as well as on every later one.",
    ),
    "result-discarded": Misconception(
        "Result of a call not used",
        "The numbers match a program in which a call such as detach or item has no effect. These methods return a new "
        "value and do not change the tensor. Check what happens to the returned value.",
    ),
    "missing-call": Misconception(
        "Function or method not called",
        "The numbers match a computation in which one function or method is not called, so that a value is used "
        "unchanged. Compare your steps with those that the statement asks for.",
    ),
    # microbatches
    "divides-by-count": Misconception(
        "Equal weights for all microbatches",
        "A smaller last microbatch counts as much as a full one. In the mean over all rows, every row has the same "
        "weight. Check the weight of each microbatch for a batch that does not divide evenly.",
    ),
    "drops-last-partial": Misconception(
        "Last partial microbatch dropped",
        "The rows that do not fill a whole microbatch are ignored. Check where your loop ends when the number of rows "
        "is not a multiple of the microbatch size.",
    ),
    "missing-scaling": Misconception(
        "Microbatch losses not scaled",
        "The numbers match a sum of microbatch means in which a weight is missing. The mean over all rows is a "
        "weighted sum of the means of the microbatches. Work it out on paper for two microbatches of different sizes.",
    ),
    "one-big-batch": Misconception(
        "Whole batch processed at once",
        "All rows go through the model in a single forward pass, so no memory is saved. Check how many rows each "
        "forward pass receives.",
    ),
}

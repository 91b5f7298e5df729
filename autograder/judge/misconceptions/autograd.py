"""Programs that use torch.autograd: what is recorded, detached, kept, cleared and accumulated."""

from autograder.judge.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # stopping gradients
    "missing-stop-gradient": Misconception(
        "Gradient not stopped",
        "The gradient flows through a branch that should be detached, so a part that should be a constant is trained "
        "too. Decide for each term which tensor is the target, and whether the gradient may enter it.",
    ),
    "both-detached": Misconception(
        "Too much detached",
        "A part that should be trained receives no gradient, as if it were detached as well. At least one path must "
        "remain from the loss to every parameter that should learn.",
    ),
    "wrong-branch": Misconception(
        "Detach or weight on the wrong side",
        "The numbers match a loss in which a detach or a weight sits on the opposite side: the wrong part is trained, "
        "or is trained with the wrong strength. Check for each term which of its two sides should move.",
    ),
    "detached-branch": Misconception(
        "Branch detached from the graph",
        "The gradient that should come back along one branch is missing, as if a value were detached there. A value "
        "that is used several times needs all of its uses in the graph. Look for detach, item, no_grad or a conversion "
        "to numpy.",
    ),
    "no-grad-around-everything": Misconception(
        "Gradient not recorded",
        "The numbers match a program that does not record, or does not call backward, at a point where a gradient is "
        "needed. Check which lines run with gradients disabled and how often backward is reached.",
    ),
    "zero-gradient": Misconception(
        "Zero instead of a gradient",
        "Results that should not be 0 are all 0. Check whether the path from the output to the input is cut, or "
        "multiplied by 0.",
    ),
    "none-gradient": Misconception(
        "None instead of a gradient",
        "At least one result is None where a gradient is required. None means that there is no path to that input. "
        "Check what is returned for it and whether it is connected to the output.",
    ),
    "none-for-unreached": Misconception(
        "Parameters without a gradient not handled",
        "A loss does not reach every parameter, and those it does not reach are not reported as zeros: they are None, "
        "are missing, or cause an error. Check what your code does for such a parameter.",
    ),
    # accumulation in .grad
    "missing-zero-grad": Misconception(
        "Gradients not cleared in time",
        "Gradients of earlier backward passes are still in .grad and add to the new ones. backward accumulates into "
        ".grad. Check what .grad contains just before each backward pass, including the first.",
    ),
    "zero-between-backward-and-step": Misconception(
        "Gradients cleared before the step",
        "Fresh gradients are cleared after backward and before the optimiser uses them. Follow .grad through one "
        "iteration and note where it is filled, used and cleared.",
    ),
    "leaks-other-loss-grad": Misconception(
        "Gradient of the other loss used in a step",
        "A step for one group of parameters includes a gradient that the other loss left behind. A backward pass fills "
        ".grad of every parameter it reaches, in both groups. Check what each optimiser finds in .grad.",
    ),
    "stale-loss": Misconception(
        "Both losses evaluated before the first update",
        "The second group moves by a gradient that was computed before the first group was updated. Check when each loss "
        "is evaluated, and what has changed by then.",
    ),
    "updates-other-group": Misconception(
        "Other parameters updated too",
        "The numbers match a program in which every step moves all parameters, also those that belong to the other loss. "
        "An optimiser updates every parameter it was given that has a gradient. Check which parameters each step may change.",
    ),
    "compensates-lr": Misconception(
        "Learning rate reduced to offset accumulation",
        "Gradients accumulate over the steps while the learning rate shrinks to make up for it. The steps still "
        "contain gradients from earlier points. Remove the cause instead of scaling its effect.",
    ),
    "missing-learning-rate": Misconception(
        "Learning rate not applied",
        "The parameters move by the full gradient, as if the learning rate were 1. Check what is subtracted in each step.",
    ),
    "grads-not-separated": Misconception(
        "Gradients of two losses added together",
        "A result that belongs to one loss also contains the gradient of another. Every backward pass accumulates into "
        "the same .grad. Check what it contains when the second pass begins.",
    ),
    "aliases-grad": Misconception(
        "Reference to .grad returned instead of a copy",
        "The results change after they have been computed, because they share memory with .grad. Whatever is later "
        "added to or cleared in .grad shows up in them.",
    ),
    "entries-summed": Misconception(
        "Separate results added together",
        "An entry of the answer is the sum of two that should be separate. Look for a variable or a .grad that is not "
        "reset between them.",
    ),
    # graphs that are kept
    "retains-graph": Misconception(
        "Graph retained after its last use",
        "The numbers are right, but the graph and everything it saved stay in memory after the last backward pass. "
        "Consider which of the passes still needs the graph afterwards.",
    ),
    "graph-freed": Misconception(
        "Graph freed before its last use",
        "The second backward pass raises an exception, because the first one freed what the shared part had saved. "
        "Consider which passes still go through that part, and how a pass is told to keep it.",
    ),
    "recompute-trunk": Misconception(
        "Shared part computed again",
        "The shared part of the model runs more than once. That makes the forward pass more expensive, and the runs "
        "need not agree. Consider what has to stay available for the second backward pass.",
    ),
    "keeps-graphs": Misconception(
        "Earlier graphs kept alive",
        "Graphs of earlier steps are still in memory when the next step is computed. Check what you store or add up, "
        "whether it carries a grad_fn, and when each backward pass runs.",
    ),
    "tensors-in-log": Misconception(
        "Tensors kept in the log",
        "The log holds tensors where plain numbers are required. A tensor can keep the graph that computed it in memory. "
        "Convert what you log to a Python number.",
    ),
    "returns-graph": Misconception(
        "Result still attached to a graph",
        "The returned tensor carries a graph or requires grad. Storing it keeps the whole graph in memory. Check what "
        "leaves the function.",
    ),
    "state-keeps-chain": Misconception(
        "State carried over with its history",
        "A state is passed on together with the graph that made it, so a backward pass continues into earlier steps. "
        "Check where the history should be cut, including before the first step and on every later one.",
    ),
    "result-discarded": Misconception(
        "Result of a call not used",
        "The numbers match a program in which a call such as detach or item has no effect. These methods return a new "
        "value and leave the tensor as it is. Check where the returned value goes.",
    ),
    "missing-call": Misconception(
        "Function or method not called",
        "The numbers match a computation in which one function or method is not called, so a value is used as it was "
        "before. Compare your steps with those that the statement asks for.",
    ),
    # batches in portions
    "divides-by-count": Misconception(
        "Every microbatch weighted equally",
        "A last, smaller microbatch counts as much as a full one. The mean over all rows weighs every row the same. "
        "Check the weight of each microbatch with a batch size that does not divide evenly.",
    ),
    "drops-last-partial": Misconception(
        "Last partial microbatch dropped",
        "The rows that do not fill a whole microbatch are left out. Check where your loop ends when the number of rows "
        "is not a multiple of the size.",
    ),
    "missing-scaling": Misconception(
        "Microbatch losses not scaled",
        "The numbers match a sum of microbatch means in which a weight is missing. The mean over all rows is a "
        "weighted sum of the means of its parts. Work it out for two parts of different size.",
    ),
    "one-big-batch": Misconception(
        "Whole batch processed at once",
        "All rows go through the model in one pass, so no memory is saved. Check how many rows each forward pass receives.",
    ),
}

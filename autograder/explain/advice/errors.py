"""Explains what the exceptions that students raise most often mean in an exercise. `judge.known_errors` recognises them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from autograder.explain.advice.model import Advice

GENERAL = Advice(
    "raised",
    "Your code raised an exception",
    "It did not return an answer, so there are no numbers to compare. It stopped at the last of the lines shown. Print "
    "the variables of that line and run again.",
    ("raised", "rules"),
)


@dataclass(frozen=True)
class KnownError:
    """`meaning` is given by kind of exercise; the empty kind covers all others."""

    key: str
    title: str
    meaning: Mapping[str, str]
    cure: str
    topics: tuple[str, ...] = field(default=())

    def advice(self, kind: str) -> Advice:
        meaning = self.meaning.get(kind, self.meaning[""])
        return Advice(self.key, self.title, f"{meaning} {self.cure}", (self.key, *self.topics))


def advice_on(key: str, exception: str, kind: str) -> Advice:
    """Advice on an exception of the student's code; general advice if it is not in the catalogue."""
    if key in _BY_KEY:
        return _BY_KEY[key].advice(kind)
    return replace(GENERAL, title=f"Your code raised {exception}") if exception else GENERAL


def _known(key: str, title: str, meaning: str | Mapping[str, str], cure: str, *topics: str) -> KnownError:
    by_kind = {"": meaning} if isinstance(meaning, str) else meaning
    return KnownError(key, title, by_kind, cure, topics)


ERRORS = (
    _known(  # torch raises this for a Function without a backward
        "missing-backward",
        "The Function has no backward",
        "Your Function has no static method called backward, so autograd cannot differentiate it.",
        "Define `backward(ctx, ...)` as a @staticmethod. Check its spelling and indentation.",
        "what to write",
    ),
    _known(  # starters raise this in place of the student's code
        "not-written",
        "This part is not written yet",
        "The check called a function that still raises NotImplementedError, as the starter does.",
        "Replace that line with your code. The parts that you have already written are graded.",
        "what to write",
        "rules",
    ),
    _known(
        "graph-freed",
        "Second backward pass through a freed graph",
        {
            "": "A backward pass frees the saved tensors of the graph, so a second pass through the same part fails.",
            "semantics": "A backward pass frees the saved tensors of its part of the graph. Here a second pass goes "
            "through a part that the first one freed.",
            "higher-order": "The first derivative was computed without a graph, so it cannot be differentiated again.",
        },
        "Decide which pass is the last. Earlier passes need retain_graph=True, or create_graph=True if you "
        "differentiate the gradient itself. If each step should start with a new graph, detach the tensors that are "
        "carried over.",
    ),
    _known(
        "no-grad-fn",
        "The result has no graph",
        {
            "": "backward() was called on a tensor without a grad_fn: no input requires grad, or the graph was cut "
            "before this line.",
            "function": "backward() was called on a tensor without a grad_fn. This happens when the result of a "
            "Function is computed without apply, or from saved tensors that were detached.",
            "higher-order": "The gradient that you differentiate again has no grad_fn. It was computed without "
            "create_graph=True, or autograd recorded no dependence of f on x.",
        },
        "Look for detach(), .data, .item(), .numpy(), torch.no_grad() and torch.tensor(...) between the inputs and this line.",
    ),
    _known(
        "grad-of-unused",
        "The result does not depend on this tensor",
        "You asked for a gradient with respect to a tensor that is not in the graph of the result: the tensor does not "
        "require grad, the result was computed from a copy, or the tensor is not used at all.",
        "Pass the same tensor object that the computation started from. Use allow_unused=True only where an unused "
        "input is expected; its gradient is then None.",
    ),
    _known(
        "modified-in-place",
        "A saved tensor was modified in place",
        "An operation saved a tensor for its derivative, and later code modified that tensor in place (+=, x[i] = ..., "
        "a method that ends in _). The derivative would be evaluated at the wrong point.",
        "Compute a new tensor instead, as in y = y + 1, or modify a clone.",
        "rules",
    ),
    _known(
        "leaf-in-place",
        "A leaf that requires grad was modified in place",
        "Autograd cannot record in-place changes to a leaf that requires grad.",
        "Compute a new tensor from it. Parameter updates, which autograd should not record, belong in `with "
        "torch.no_grad():`.",
        "rules",
    ),
    _known(
        "not-a-scalar",
        "backward() was called on a tensor with more than one entry",
        "Without an upstream gradient, backward() works only on a tensor with a single entry.",
        "Sum the tensor first, or pass the upstream gradient: y.backward(gradient=v), torch.autograd.grad(y, x, grad_outputs=v).",
    ),
    _known(
        "numpy-of-graph",
        "A tensor with a graph was converted to NumPy",
        "NumPy does not record operations, so the conversion would cut the graph.",
        "Use torch functions wherever gradients must flow. Use detach().numpy() only for values that need no gradient.",
        "rules",
    ),
    _known(
        "count-of-gradients",
        "backward returned the wrong number of gradients",
        "backward must return one value for each argument of forward after ctx, in the same order.",
        "Return None for an argument that needs no gradient.",
        "what to write",
        "rules",
    ),
    _known(
        "shape-of-gradient",
        "backward returned a gradient of the wrong shape",
        "The gradient with respect to an input has the shape of that input. The message shows both shapes.",
        "If the forward pass broadcast the input, sum the gradient over the broadcast axes.",
    ),
    _known(
        "legacy-function",
        "forward and backward must be static methods",
        "Autograd calls them on the class, without an instance.",
        "Decorate both with @staticmethod, take ctx as the first argument, and call the Function through apply.",
        "what to write",
    ),
    _known(
        "wrong-dtype",
        "Incompatible dtypes",
        "An operation received tensors or arrays of different dtypes, or integers where it needs floating-point "
        "numbers. The checks use float64 unless they say otherwise.",
        "Create new tensors with the dtype of the input (torch.zeros_like(x), x.new_zeros(...), np.zeros_like(x)), and "
        "write integer constants as floats.",
        "rules",
    ),
    _known(
        "wrong-shape",
        "Incompatible shapes",
        {
            "": "An operation received tensors or arrays whose shapes it cannot combine. The message shows both shapes.",
            "vjp": "An operation received arrays whose shapes it cannot combine. g has the shape of the output z, and "
            "each gradient that you return has the shape of its input.",
        },
        "Write down the shape of each factor in that line. A transpose, a sum over an axis or keepdims=True is usually "
        "missing.",
        "worked example",
    ),
    _known(
        "none-used",
        "Unexpected None",
        {
            "": "A value was None: the result of a function without a return statement, or a .grad before the backward "
            "pass.",
            "engine": "A value was None: the result of an operation that does not return its new node, or a closure "
            "that was never set, as on a leaf.",
            "graph": "A node was None. In next_functions, None stands for an input that needs no gradient.",
        },
        "Check for a missing return statement, and decide what your code should do where None is allowed.",
        "what to write",
    ),
    _known(
        "too-deep",
        "Recursion too deep",
        {
            "": "A function called itself recursively beyond Python's limit of about a thousand nested calls.",
            "engine": "A recursive traversal exceeds Python's recursion limit on a graph that is a long chain. Python "
            "allows about a thousand nested calls.",
            "graph": "A recursive traversal exceeds Python's recursion limit on a graph that is a long chain. Python "
            "allows about a thousand nested calls.",
        },
        "If the recursion should end earlier, check its base case. If the graph really is that deep, use a loop with a "
        "list as a stack.",
        "rules",
    ),
    _known(
        "plain-number",
        "Unsupported operand type",
        {
            "": "The message names the types involved. One of them is not what the line expects.",
            "engine": "An operation received a plain number where it expects a node, or an operator is not defined for "
            "the types in the message.",
        },
        "Convert plain numbers first. For a number on the left of an operator, Python calls __radd__, __rmul__ and the "
        "other reflected methods.",
        "what to write",
        "rules",
    ),
    _known(
        "wrong-arguments",
        "A function was called with the wrong arguments",
        "Either your own call does not match the function's signature, or the function no longer has the signature "
        "that the starter gives.",
        "Compare the first line of the function with the starter. The checks call it as described in the task.",
        "what to write",
        "rules",
    ),
    _known(
        "unhashable",
        "An unhashable object was used in a set or as a key",
        {
            "": "Lists and dictionaries cannot be members of a set or keys of a dictionary.",
            "engine": "Instances of a class that defines __eq__ but not __hash__ cannot be members of a set.",
        },
        "Use a tuple, or identify objects by id(node).",
    ),
    _known(
        "ambiguous-truth",
        "An array was used as a condition",
        "if, and, or, max and sorted need a single True or False, but comparing arrays gives one for each entry.",
        "Use torch.where or np.where to select entry by entry, or .all() and .any() for a single truth value.",
    ),
    _known(
        "unknown-name",
        "Undefined name",
        "The name in the message is misspelled, not imported, or not assigned before this line.",
        "Check its spelling, and check that every path to this line assigns it.",
    ),
    _known(
        "not-installed",
        "Module not available",
        "Submissions can import the standard library and the libraries of the exercise: NumPy, NumPy and torch, or neither.",
        "Remove the import and use only the available libraries.",
        "rules",
    ),
    _known(
        "not-permitted",
        "Operation not permitted",
        "Submissions run in a sandbox without network access or child processes, in an empty working directory.",
        "No exercise needs this. Remove it.",
        "rules",
    ),
    _known(
        "exited",
        "Your code ended the program",
        "sys.exit() ends the program while a check is waiting for an answer.",
        "Return a value instead, and remove code that runs the file as a script.",
    ),
    _known(
        "index-or-key",
        "Index or key not found",
        "The list is shorter than the line expects, or the dictionary has no such key.",
        "Print the length or the keys just before that line, and run again.",
    ),
    _known(
        "outside-the-domain",
        "Division by zero or overflow",
        "A denominator was zero, or a power or exponential was too large for a float.",
        "Work out what the function should return for this input. Then handle it as a special case, or rearrange the "
        "formula.",
        "rules",
    ),
    _known(
        "no-attribute",
        "Missing attribute",
        {
            "": "The message names the type and the attribute.",
            "vjp": "The message names the type and the attribute. NumPy arrays and torch tensors have different methods.",
            "function": "The message names the type and the attribute. NumPy arrays and torch tensors have different "
            "methods.",
        },
        "Check the spelling, and print type(...) of the object just before that line.",
        "what to write",
    ),
)
_BY_KEY = {error.key: error for error in ERRORS}

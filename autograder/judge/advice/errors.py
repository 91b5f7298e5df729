"""The exceptions that students of automatic differentiation meet most, and what each means in an exercise.

A type's name and a message come out of the sandbox: they are searched, never run or looked up, and no pattern can take long.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from autograder.judge.advice.model import Advice

GENERAL = Advice(
    "raised",
    "Your code raised an exception",
    "It did not get as far as an answer, so there are no numbers to compare. The last of the lines shown is where it stopped. Print "
    "what the variables of that line hold, and run again.",
    ("raised", "rules"),
)


@dataclass(frozen=True)
class KnownError:
    """`meaning` is by kind of exercise; the empty kind is for every other."""

    key: str
    pattern: re.Pattern[str]  # of "Type: message", from its beginning
    title: str
    meaning: Mapping[str, str]
    cure: str
    topics: tuple[str, ...] = field(default=())

    def advice(self, kind: str) -> Advice:
        meaning = self.meaning.get(kind, self.meaning[""])
        return Advice(self.key, self.title, f"{meaning} {self.cure}", (self.key, *self.topics))


def known_error(exception: str, message: str) -> str:
    """The key of what is known about an exception, or nothing. The name of its module does not matter."""
    raised = f"{exception.rpartition('.')[2]}: {message}"
    return next((error.key for error in ERRORS if error.pattern.match(raised)), "")


def advice_on(key: str, exception: str, kind: str) -> Advice:
    """About an exception of the student's code. One that is not in the catalogue gets the general advice."""
    if key in _BY_KEY:
        return _BY_KEY[key].advice(kind)
    return replace(GENERAL, title=f"Your code raised {exception}") if exception else GENERAL


def _known(key: str, pattern: str, title: str, meaning: str | Mapping[str, str], cure: str, *topics: str) -> KnownError:
    by_kind = {"": meaning} if isinstance(meaning, str) else meaning
    return KnownError(key, re.compile(pattern), title, by_kind, cure, topics)


ERRORS = (
    _known(  # torch raises it for a Function without a backward
        "missing-backward",
        r"NotImplementedError: You must implement either the backward",
        "The Function has no backward",
        "Autograd found no static method called backward in your Function, so it cannot go through it.",
        "Define `backward(ctx, ...)` as a @staticmethod. Check its spelling and its indentation.",
        "what to write",
    ),
    _known(  # what a starter raises where the student's code belongs
        "not-written",
        r"NotImplementedError\b",
        "This part is not written yet",
        "The check called a function that still raises NotImplementedError, as the starter does.",
        "Replace that line with your code. The checks of the parts you have written are graded meanwhile.",
        "what to write",
        "rules",
    ),
    _known(
        "graph-freed",
        r"RuntimeError: Trying to backward through the graph a second time",
        "The graph was used again after it was freed",
        {
            "": "A backward pass frees the values that the graph saved, and a second pass through the same part finds nothing.",
            "semantics": "A backward pass frees the values that its part of the graph saved. Here a second pass goes through a "
            "part that the first one has used up.",
            "higher-order": "The first derivative was taken without keeping a graph, so there is nothing to differentiate again.",
        },
        "Decide which pass is the last: the ones before it need retain_graph=True, or create_graph=True if you differentiate the "
        "gradient itself. If each step should start afresh, detach what is carried over.",
    ),
    _known(
        "no-grad-fn",
        r"RuntimeError: element \d+ of tensors does not require grad",
        "The result is not connected to anything that needs a gradient",
        {
            "": "backward() was called on a tensor without history: no input requires grad, or the graph was cut on the way.",
            "function": "backward() was called on a tensor without history. In a Function this happens when the answer is made "
            "without apply, or from ctx.saved_tensors that were detached.",
            "higher-order": "The gradient that you differentiate again has no history. It was computed without create_graph=True, "
            "or f does not depend on x in a way that autograd sees.",
        },
        "Look for detach(), .data, .item(), .numpy(), torch.no_grad() and torch.tensor(...) between the inputs and this line.",
    ),
    _known(
        "grad-of-unused",
        r"RuntimeError: (The differentiated Tensor at index|One of the differentiated Tensors)",
        "A gradient was asked for with respect to a tensor that the result does not use",
        "The tensor you named is not in the graph of the result: it does not require grad, the result was computed from a copy, "
        "or it is not used at all.",
        "Pass the very tensor that the computation started from. Use allow_unused=True only where an unused input is expected; "
        "its gradient is then None.",
    ),
    _known(
        "modified-in-place",
        r"RuntimeError: one of the variables needed for gradient computation has been modified by an inplace",
        "A saved value was overwritten before the backward pass",
        "An operation saved a tensor for its derivative, and later code changed that tensor in place (+=, x[i] = ..., a method "
        "that ends in _). The derivative would be taken at the wrong point.",
        "Write the change out of place, as in y = y + 1, or change a clone.",
        "rules",
    ),
    _known(
        "leaf-in-place",
        r"RuntimeError: a (view of a )?leaf Variable that requires grad is being used in an in-place",
        "A leaf that requires grad was changed in place",
        "Autograd does not record in-place changes of the tensors that it computes gradients for.",
        "Compute a new tensor from it. An update of parameters, which autograd should not see, belongs in `with torch.no_grad():`.",
        "rules",
    ),
    _known(
        "not-a-scalar",
        r"RuntimeError: grad can be implicitly created only for scalar outputs",
        "backward() was called on a tensor with more than one entry",
        "Without an upstream gradient, backward() only works for a single number.",
        "Sum the tensor first, or pass the upstream gradient: y.backward(gradient=v), torch.autograd.grad(y, x, grad_outputs=v).",
    ),
    _known(
        "numpy-of-graph",
        r"RuntimeError: Can't call numpy\(\) on Tensor that requires grad",
        "A tensor with a graph was converted to NumPy",
        "NumPy knows nothing of the graph, so the conversion would silently cut it.",
        "Stay with torch functions where gradients must flow. Use detach().numpy() only for numbers that need no gradient.",
        "rules",
    ),
    _known(
        "count-of-gradients",
        r"RuntimeError: function \w+ returned an incorrect number of gradients",
        "backward returned the wrong number of gradients",
        "backward must return one value for each argument of forward after ctx, in the same order.",
        "Return None for an argument that needs no gradient.",
        "what to write",
        "rules",
    ),
    _known(
        "shape-of-gradient",
        r"RuntimeError: Function \w+ returned an invalid gradient at index",
        "backward returned a gradient of the wrong shape",
        "The gradient with respect to an input has the shape of that input. Both shapes stand in the message.",
        "If the forward pass broadcast the input, sum the gradient over the axes that were copied.",
    ),
    _known(
        "legacy-function",
        r"RuntimeError: Legacy autograd function with non-static forward",
        "forward and backward must be static methods",
        "Autograd calls them on the class, without an instance.",
        "Put @staticmethod above both, take ctx as the first argument, and call the Function with apply.",
        "what to write",
    ),
    _known(
        "wrong-dtype",
        r"(?i)\w*Error: .{0,300}(same dtype|expected scalar type|Found dtype|could not infer output dtype|Cannot cast ufunc"
        r"|desired output type|[Oo]nly Tensors of floating point)",
        "Two dtypes do not go together",
        "An operation met tensors or arrays of different dtypes, or integers where it needs floating point. The checks ask in "
        "float64 unless they say otherwise.",
        "Make new tensors with the dtype of the input (torch.zeros_like(x), x.new_zeros(...), np.zeros_like(x)), and write whole "
        "numbers as floats.",
        "rules",
    ),
    _known(
        "wrong-shape",
        r"(?i)\w*Error: .{0,300}(shapes cannot be multiplied|must match the size|size mismatch|is invalid for input of size"
        r"|must match the existing size|could not be broadcast|core dimension|cannot reshape array)",
        "Two shapes do not fit together",
        {
            "": "An operation met tensors or arrays whose shapes it cannot combine. Both shapes stand in the message.",
            "vjp": "An operation met arrays whose shapes it cannot combine. g has the shape of the output z, and each gradient that "
            "you return has the shape of its input.",
        },
        "Write the shape beside each factor of that line. A transpose, a sum over an axis or keepdims=True is usually missing.",
        "worked example",
    ),
    _known(
        "none-used",
        r"(AttributeError: 'NoneType' object|TypeError: .{0,200}'NoneType')",
        "Something was None",
        {
            "": "A value that should hold something was None: a function without return, or a .grad before the backward pass.",
            "engine": "A value that should hold something was None: an operation that does not return its new node, or a closure "
            "that was never set, as on a leaf.",
            "graph": "A node was None. In next_functions an input that needs no gradient appears as None.",
        },
        "Check for a missing return, and decide what your code does where None is allowed.",
        "what to write",
    ),
    _known(
        "too-deep",
        r"RecursionError\b",
        "The recursion went too deep",
        {
            "": "A function called itself more often than Python allows, about a thousand times.",
            "engine": "A walk that calls itself for each node runs out of stack on a graph that is a long chain. Python allows "
            "about a thousand calls.",
            "graph": "A walk that calls itself for each node runs out of stack on a graph that is a long chain. Python allows "
            "about a thousand calls.",
        },
        "If it should end, check the condition that ends it. If the graph is really that deep, use a loop with a list as a stack.",
        "rules",
    ),
    _known(
        "plain-number",
        r"(TypeError: unsupported operand type\(s\) for |AttributeError: '(int|float)' object has no attribute )",
        "An operation met a type it does not handle",
        {
            "": "The two types stand in the message. One of them is not what the line expects.",
            "engine": "An operation met a plain number where it expects a node, or an operator is not defined for the two types in "
            "the message.",
        },
        "Convert plain numbers first. For a number on the left of an operator, Python calls __radd__, __rmul__ and their relatives.",
        "what to write",
        "rules",
    ),
    _known(
        "wrong-arguments",
        r"TypeError: .{0,200}(positional argument|unexpected keyword argument|required keyword-only argument)",
        "A function was called with other arguments than it takes",
        "Either your own call does not fit the function, or the function no longer has the signature of the starter.",
        "Compare the first line of the function with the starter; the checks call it as the task says.",
        "what to write",
        "rules",
    ),
    _known(
        "unhashable",
        r"TypeError: unhashable type",
        "Something that cannot be hashed was put in a set or used as a key",
        {
            "": "Lists and dictionaries cannot be members of a set or keys of a dictionary.",
            "engine": "A class that defines __eq__ and not __hash__ cannot be a member of a set.",
        },
        "Use a tuple, or remember objects by id(node).",
    ),
    _known(
        "ambiguous-truth",
        r"\w+: (Boolean value of Tensor with more than one value|The truth value of an array with more than one element)",
        "An array was used as a condition",
        "if, and, or, max and sorted need one True or False, and a comparison of arrays gives one for each entry.",
        "Use torch.where or np.where for a choice entry by entry, or .all() and .any() for a single answer.",
    ),
    _known(
        "unknown-name",
        r"(NameError|UnboundLocalError)\b",
        "A name is used that has no value yet",
        "The name in the message is misspelled, not imported, or assigned only later or elsewhere.",
        "Check its spelling, and that it is assigned on every way to this line.",
    ),
    _known(
        "not-installed",
        r"(ModuleNotFoundError|ImportError)\b",
        "A module is not available here",
        "Submissions run with the standard library and what the exercise uses: NumPy, or NumPy and torch, or neither.",
        "Remove the import, and write that part with what is there.",
        "rules",
    ),
    _known(
        "not-permitted",
        r"(PermissionError|BlockingIOError)\b",
        "Your code tried something that is not permitted here",
        "Submissions run without network, without other processes, and with an empty folder of their own.",
        "No exercise needs this: remove it.",
        "rules",
    ),
    _known(
        "exited",
        r"(SystemExit|KeyboardInterrupt)\b",
        "Your code ended the program",
        "sys.exit() ends the program while a check waits for an answer.",
        "Return a value instead, and remove code that runs the file as a script.",
    ),
    _known(
        "index-or-key",
        r"(IndexError|KeyError)\b",
        "An index or key is not there",
        "The message names it. The list is shorter than the line expects, or the dictionary has no such entry.",
        "Print the length or the keys just before that line, and run again.",
    ),
    _known(
        "outside-the-domain",
        r"(ZeroDivisionError|OverflowError)\b",
        "A formula left its domain",
        "A denominator was zero, or a power or exponential too large for a float.",
        "Write out what the function should give there, and treat that value on its own, or rearrange the formula.",
        "rules",
    ),
    _known(
        "no-attribute",
        r"AttributeError\b",
        "An object does not have this attribute",
        {
            "": "The message names the type and the attribute.",
            "vjp": "The message names the type and the attribute. Arrays of NumPy and tensors of torch have different methods.",
            "function": "The message names the type and the attribute. Tensors of torch and arrays of NumPy have different methods.",
        },
        "Check the spelling, and print type(...) of the object just before that line.",
        "what to write",
    ),
)  # fmt: skip
_BY_KEY = {error.key: error for error in ERRORS}

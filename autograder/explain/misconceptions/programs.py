"""Misconceptions that are not specific to differentiation: form of the answer, state, missing steps and settings."""

from autograder.explain.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # the form of an answer
    "wrong-shape": Misconception(
        "Incorrect shape",
        "The entries are right, but the shape is not. A gradient has exactly the shape of the corresponding input. "
        "Check the last step that changes the shape.",
    ),
    "wrong-container": Misconception(
        "Incorrect container",
        "The numbers are right, but they are returned as a bare value where a tuple is required, or the other way "
        "round. Compare the return value with the signature in the statement.",
    ),
    "wrong-dtype": Misconception(
        "Incorrect data type",
        "The numbers are right, but their data type is not. Look for a conversion, or for a constant of another type.",
    ),
    "another-place": Misconception(
        "Result in the wrong position",
        "The answer contains a right value in the wrong position. Check the order in which results are collected and "
        "returned.",
    ),
    "entries-subtracted": Misconception(
        "Separate results subtracted",
        "One entry of the answer is the difference of two entries that should be separate. Look for a subtraction "
        "that combines them.",
    ),
    # operands
    "rejects-numbers": Misconception(
        "Plain numbers as operands not handled",
        "An expression that combines a Value with a plain number raises an exception. In x + 2, the other operand has "
        "none of the attributes of a Value, and 2 + x calls a reflected method of Value. Check both sides of every "
        "operator.",
    ),
    # state
    "mutates-input": Misconception(
        "Arguments modified",
        "The answer is right, but the arguments have changed after the call. Look for assignments and in-place "
        "operations on the arguments.",
    ),
    "edits-upstream": Misconception(
        "Upstream gradient modified",
        "The backward pass writes into the upstream gradient that it receives. The same array can be the gradient of "
        "another branch of the network, which then receives wrong numbers. Check every line that assigns to entries of "
        "an array, and which array it is.",
    ),
    "state-between-calls": Misconception(
        "State kept between calls",
        "A second call with the same arguments gives a different answer. Look for state that the first call leaves "
        "behind: a global variable, a mutable default argument, an attribute, or a .grad.",
    ),
    # steps and settings
    "missing-step": Misconception(
        "Omitted step",
        "The numbers match a computation in which one step is missing. Go through the steps that the statement asks "
        "for and find each of them in your code.",
    ),
    "flag": Misconception(
        "Wrong or missing flag",
        "The numbers match a computation in which one flag or keyword argument is missing or has the opposite value. "
        "Check the arguments of each call.",
    ),
    "slice": Misconception(
        "Missing slice",
        "The numbers match a computation that uses a whole sequence in its original order where only part of it, or "
        "its reverse, is needed. Check the indices.",
    ),
    "context": Misconception(
        "Missing context manager",
        "The answers match a program in which one with block is missing. Check which statements need gradients "
        "disabled or warnings silenced.",
    ),
}

"""What can go wrong in any program: answers of the wrong form, state, steps and settings that are missing."""

from autograder.judge.misconceptions.model import Misconception

MISCONCEPTIONS = {
    # the form of an answer
    "wrong-shape": Misconception(
        "Result has the wrong shape",
        "The entries are right, but the shape is not. A gradient has exactly the shape of the input that it belongs "
        "to. Check the last step that changes the shape.",
    ),
    "wrong-container": Misconception(
        "Result in the wrong container",
        "The numbers are right, but they come bare where a tuple is required, or in a tuple where a bare value is required. "
        "Compare the return value with the signature in the statement.",
    ),
    "wrong-dtype": Misconception(
        "Result has the wrong data type",
        "The numbers are right, but their type is not. Check for a conversion, or for a constant of another type.",
    ),
    "another-place": Misconception(
        "Result in the wrong position",
        "The answer has a right value in the wrong position. Check the order in which results are collected and returned.",
    ),
    "entries-subtracted": Misconception(
        "Another entry subtracted",
        "An entry of the answer is the difference of two entries that should be separate. Look for a subtraction that "
        "combines them.",
    ),
    # operands
    "rejects-numbers": Misconception(
        "Plain number as an operand not handled",
        "An expression of a Value and a plain number raises an exception. In x + 2 the other operand has no attributes of a "
        "Value, and 2 + x calls the reflected method of Value. Check both sides of every operator.",
    ),
    # state
    "mutates-input": Misconception(
        "Arguments modified",
        "The answer is right, but the arguments are different after the call. Look for assignments and in-place "
        "operations on what was passed in.",
    ),
    "state-between-calls": Misconception(
        "State kept between calls",
        "A second call with the same arguments gives a different answer. Look for something that the first call leaves "
        "behind: a global, a default argument, an attribute, a .grad.",
    ),
    # steps and settings
    "missing-step": Misconception(
        "Step left out",
        "The numbers match a computation in which one step is left out. Go through the steps that the statement asks "
        "for and find each of them in your code.",
    ),
    "flag": Misconception(
        "Wrong or missing flag",
        "The numbers match a computation in which one flag or keyword argument is missing or has the opposite value. "
        "Check the options of each call.",
    ),
    "slice": Misconception(
        "Slice left out",
        "The numbers match a computation that uses a whole sequence, in its original order, where only part of it, or "
        "its reverse, is needed. Check the indices.",
    ),
    "context": Misconception(
        "Context manager left out",
        "The answers match a program in which one with block is missing. Check which statements need gradients "
        "disabled or warnings silenced.",
    ),
}

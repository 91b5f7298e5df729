"""What a scratch cell begins with: calls out of the statement, or those that the author wrote for it."""

from autograder.library import example_calls
from autograder.library.statements import html_of

STARTER = "class Value:\n    def backward(self):\n        pass\n"


def of(statement: str, starter: str = STARTER, points: tuple[str, ...] = ("Value",)) -> str:
    return example_calls.of(statement, starter, points, [f"{point}(x)" for point in points])


def block(code: str, name: str = "python") -> str:
    return f"Some words.\n\n```{name}\n{code}\n```\n"


def test_the_first_example_that_uses_an_entry_point() -> None:
    assert of(block("x = 1") + block("Value(2)") + block("Value(3)")) == "Value(2)\n"


def test_the_gradients_of_the_leaves_are_shown_after_a_backward_pass() -> None:
    assert of(block("a, b = Value(2.0), Value(3.0)\ny = a * b\ny.backward()")).endswith("y.backward()\na.grad, b.grad\n")


def test_a_backward_pass_with_an_upstream_gradient_is_one_too() -> None:
    code = "x = Value(2.0)\ny = x * x\ny.backward(np.ones(3))"
    assert of(block(code)) == f"import numpy as np\n{code}\nx.grad\n"


def test_a_backward_pass_that_is_missing_is_added() -> None:
    assert of(block("x = Value(2.0)\ny = x * x")).endswith("y = x * x\ny.backward()\nx.grad\n")


def test_an_example_gets_the_names_of_an_earlier_one_and_the_imports_that_it_needs() -> None:
    statement = block("x = torch.ones(2)") + block("z = 5") + block("f(x)")
    assert of(statement, "def f(x): ...", ("f",)) == "import torch\nx = torch.ones(2)\nf(x)\n"
    assert of(statement, "import torch\ndef f(x): ...", ("f",)) == "x = torch.ones(2)\nf(x)\n"


def test_what_is_no_python_is_passed_over() -> None:
    assert of(block("Value(") + block("Value(4)", "text") + block("Value(5)")) == "Value(5)\n"


def test_without_an_example_what_can_be_called_is_named() -> None:
    assert of("No code at all.", points=("f", "g")) == "# Call your code here, for example:\n# f(x)\n# g(x)\n"


def test_what_the_author_wrote_for_the_cell_goes_first_and_is_not_part_of_the_task() -> None:
    statement = block("Value(1)") + block("Value(99)", "python scratch")
    assert of(statement) == "Value(99)\n"
    assert "Value" in html_of(statement)
    assert "99" not in html_of(statement)

"""Short assignments of nbgrader and Otter about gradients, as their authors would write them."""

from typing import Any

from tests.library.notebooks.made import Made, code, markdown, notebook, raw


def graded(source: str, grade_id: str, points: float | None = None, **roles: bool) -> Made:
    """A code cell with the metadata of nbgrader."""
    return code(source, metadata={"nbgrader": about(grade_id, points, **roles)})


def about(grade_id: str, points: float | None = None, **roles: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"grade": False, "solution": False, "locked": False, "task": False, **roles}
    return found | {"grade_id": grade_id, "schema_version": 3} | ({"points": points} if points is not None else {})


IMPORTS = "%matplotlib inline\nimport numpy as np\nimport matplotlib.pyplot as plt\nfrom helpers import secret_gradient"
NUMERIC = """def numeric(f, x, h=1e-6):
    \"\"\"The central difference.\"\"\"
    return (f(x + h) - f(x - h)) / (2 * h)"""
SIGMOID = """def sigmoid(x):
    \"\"\"The logistic function of an array.\"\"\"
    ### BEGIN SOLUTION
    return 1 / (1 + np.exp(-x))
    ### END SOLUTION

def sigmoid_grad(x):
    \"\"\"Its derivative.\"\"\"
    ### BEGIN SOLUTION
    y = sigmoid(x)
    return y * (1 - y)
    ### END SOLUTION"""
COUNTER = """class Counter:
    \"\"\"Counts calls.\"\"\"

    def __init__(self):
        self.calls = 0

    def add(self, n):
        self.calls += n
        return self.calls"""
TEST_VALUES = """x = np.array([-1.0, 0.0, 2.0])
assert sigmoid(0.0) == 0.5
assert np.allclose(sigmoid(x) + sigmoid(-x), 1), "the two sides add up to 1"
### BEGIN HIDDEN TESTS
for n in range(3):
    assert np.allclose(sigmoid(n * x), 1 / (1 + np.exp(-n * x)))
### END HIDDEN TESTS"""
TEST_GRADIENT = """### BEGIN HIDDEN TESTS
assert np.allclose(sigmoid_grad(x), numeric(sigmoid, x))
assert np.allclose(sigmoid_grad(x), secret)
### END HIDDEN TESTS"""

NBGRADER = notebook(
    markdown("# The sigmoid\n\nIts gradient in $x$.\n\n![curve](attachment:curve.png)", attachments={}),
    code(IMPORTS),
    markdown("# What to write\n\nTwo functions."),
    code(NUMERIC + "\n\nsecret = np.array([0.19661193324148185, 0.25, 0.10499358540350662])\nprint(numeric(np.sin, 0.0))"),
    graded(SIGMOID, "sigmoid", solution=True),
    graded(TEST_VALUES, "test_sigmoid_values", 2, grade=True, locked=True),
    graded(TEST_GRADIENT, "test-gradient", 3, grade=True, locked=True),
    graded(COUNTER, "counter", solution=True),
    graded("c = Counter()\nc.add(2)\nassert c.add(1) == 3 and c.calls == 3", "counting", 1, grade=True, locked=True),
    graded("assert secret_gradient(1.0) == sigmoid_grad(1.0)", "instructors", 4, grade=True, locked=True),
    {**markdown("The answer is 42."), "metadata": {"nbgrader": about("why", 2, grade=True, solution=True)}},
    code("plt.plot(sigmoid(np.linspace(-3, 3)))"),
    code("%%bash\ncat data.csv"),
)


def expecting(source: str, output: str = "") -> Made:
    """A test of Otter: the output of the cell is what is expected."""
    shown = {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": [output]}}
    return code(source, outputs=[shown] if output else [])


OTTER = notebook(
    raw(
        "# ASSIGNMENT CONFIG\nname: hw01\nexport_cell: false\nfiles:\n    - data.csv\n    - utils.py\ngenerate:\n  seed: 42"
    ),
    markdown("# Products\n\nGradients of products."),
    code("import numpy as np\nimport otter\ngrader = otter.Notebook()"),
    raw("# BEGIN QUESTION\nname: q1\npoints: 3 # in all\n"),
    markdown("**Question 1.** Write `mul_vjp`."),
    raw("# BEGIN SOLUTION"),
    code(
        "def mul_vjp(g, x, w):\n"
        '    """The gradients of x * w."""\n'
        "    of_x = g * w # SOLUTION\n"
        "    of_w = g * x # SOLUTION NO PROMPT\n"
        '    """ # BEGIN PROMPT\n'
        "    of_w = ...\n"
        '    """; # END PROMPT\n'
        "    return of_x, of_w\n\n"
        "nine = mul_vjp(1, 3, 3)[0] * 3 # SOLUTION"
    ),
    raw("# END SOLUTION"),
    raw("# BEGIN TESTS"),
    expecting("mul_vjp(2.0, 3.0, 5.0)", "(10.0, 6.0)"),
    expecting('""" # BEGIN TEST CONFIG\npoints: 0.5\nhidden: true\n""" # END TEST CONFIG\nnine == 9', "True"),
    expecting(
        "# HIDDEN\nx = np.arange(3.0)\nof_x, of_w = mul_vjp(x, x, 2.0)\nnp.allclose(of_w, x * x) and np.allclose(of_x, 2 * x)",
        "True",
    ),
    expecting("# HIDDEN\nmul_vjp(np.ones(2), 1, 2)[0]", "array([2., 2.])"),
    raw("# END TESTS"),
    raw("# END QUESTION"),
    code('grader.check("q1")'),
    raw("# BEGIN QUESTION\nname: q2\nmanual: true"),
    markdown("Why?"),
    raw("# BEGIN SOLUTION"),
    markdown("Because."),
    raw("# END SOLUTION"),
    raw("# END QUESTION"),
)
SAMPLES = {"sigmoid": NBGRADER, "products": OTTER}

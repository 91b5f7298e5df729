"""The package under the names by which course files refer to it: `minitorch.Tensor`, `minitorch.History`."""

from .autodiff import *  # noqa: F403
from .tensor import *  # noqa: F403
from .tensor_data import *  # noqa: F403
from .tensor_functions import *  # noqa: F403
from .tensor_ops import *  # noqa: F403

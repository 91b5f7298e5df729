"""The package under the names by which course files refer to it: `minitorch.Scalar`, `minitorch.scalar.Scalar`."""

from .autodiff import *  # noqa: F403
from .scalar import *  # noqa: F403
from .scalar_functions import *  # noqa: F403

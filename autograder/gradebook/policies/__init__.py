"""The registry of scoring policies, which turn an assignment's submissions into one score, with one module per policy."""

from autograder.gradebook.policies import best, last
from autograder.gradebook.policies.base import Counted, Policy, Scored

POLICIES: dict[str, Policy] = {module.NAME: module.policy for module in (best, last)}

__all__ = ["POLICIES", "Counted", "Policy", "Scored"]

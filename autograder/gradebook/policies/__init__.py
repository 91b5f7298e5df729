"""How an assignment's submissions become one score: a registry, one file for each policy."""

from autograder.gradebook.policies import best, last
from autograder.gradebook.policies.base import Counted, Policy, Scored

POLICIES: dict[str, Policy] = {module.NAME: module.policy for module in (best, last)}

__all__ = ["POLICIES", "Counted", "Policy", "Scored"]

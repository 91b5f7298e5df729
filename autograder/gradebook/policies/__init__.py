"""How an assignment's submissions become one score: a registry, one file for each policy."""

from autograder.gradebook.policies import before_due, best, last
from autograder.gradebook.policies.base import Counted, Policy, Scored

POLICIES: dict[str, Policy] = {module.NAME: module.policy for module in (best, last, before_due)}

__all__ = ["POLICIES", "Counted", "Policy", "Scored"]

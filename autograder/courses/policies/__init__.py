"""Scoring policies, which turn a student's submissions into one score. Every module here with a `POLICY` is one of them."""

from importlib import import_module
from pkgutil import iter_modules

from autograder.courses.policies.base import ByHand, Counted, Policy, Scored

_MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
POLICIES: dict[str, Policy] = {module.POLICY.name: module.POLICY for module in _MODULES if hasattr(module, "POLICY")}

__all__ = ["POLICIES", "ByHand", "Counted", "Policy", "Scored"]

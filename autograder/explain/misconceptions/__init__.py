"""The catalogue of misconceptions: a title and an explanation for every key that the diagnosis can report.

The catalogue contains only text. It affects neither verdicts nor claims, so proofs and dictionaries do not depend on it
(`prove.stored_proofs`). Web pages import it, so it must not import numpy or torch.
"""

from autograder.explain.misconceptions.catalogue import CATALOGUE, described, find, lacking, title_of
from autograder.explain.misconceptions.model import Misconception

__all__ = ["CATALOGUE", "Misconception", "described", "find", "lacking", "title_of"]

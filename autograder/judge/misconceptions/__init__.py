"""The catalogue of misconceptions: what is said of each key that a diagnosis can claim.

Words only: nothing here decides a verdict or a claim, so proofs and dictionaries do not depend on it (`lint.kept`). Pages
read it, so it imports neither numpy nor torch.
"""

from autograder.judge.misconceptions.catalogue import CATALOGUE, described, find, lacking, title_of
from autograder.judge.misconceptions.model import Misconception, Reworded

__all__ = ["CATALOGUE", "Misconception", "Reworded", "described", "find", "lacking", "title_of"]

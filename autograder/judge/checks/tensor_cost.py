"""How large a program is that shows what a backward pass of a tensor engine costs.

The gradient of an operation can be had without calculus: a small step in each of its entries, and each time the operation
again. For an array with thousands of entries, this takes thousands of times as long as the operation itself. Write a program
of several operations on arrays with ENTRIES entries, and give its check SECONDS as its limit.
"""

from autograder.judge.checks.costs import SECONDS as SECONDS

ENTRIES = 9_000  # below 10,000, NumPy does not start threads for a sum of products

"""Runs the code of an exercise's author in a sandbox of its own: the checks, and everything that calls them.

An examiner is a job of a zygote that has imported the judge. It knows one exercise and one submission, and has no network, no
database and no file of the machine. The submission runs in another sandbox; the examiner talks to it through descriptors that
the worker passes on. What the examiner returns is plain data: `report_of` takes titles and points from the exercise.
"""

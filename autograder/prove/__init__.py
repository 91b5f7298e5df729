"""Proves an exercise: its solution passes, and its checks catch the wrong solutions and every mutant of the solution."""

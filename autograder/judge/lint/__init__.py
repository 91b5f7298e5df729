"""Proves an exercise: its solution is right, and its wrong solutions and every mutant of the solution are caught."""

"""The scratch cell: a student's own calls, run with their code in the sandbox. Never graded or counted, and soon deleted."""

"""The scratch cell: a student's own calls, run beside their code in the sandbox. Never graded, never counted, soon deleted."""

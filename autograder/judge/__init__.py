"""The judge: takes an exercise, a submission and a sandbox, and returns a report. It is trusted and independent of Django."""

"""Jupyter notebooks: exercises are downloaded as notebooks, submitted as notebooks, and imported from nbgrader and Otter."""

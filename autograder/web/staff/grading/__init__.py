"""Pages for grades: gradebook, marking, submissions, regrades, export."""

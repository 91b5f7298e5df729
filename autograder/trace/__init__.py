"""Records the steps of a backward pass together with the expected steps, for the graph player."""

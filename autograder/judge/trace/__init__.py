"""What a backward pass did, step by step, beside what it should have done: the log that the graph player shows."""

"""Operations that the guest offers besides calling a submission: running programs on an engine, differentiating a
`torch.autograd.Function`, exporting the graph behind a tensor and measuring the memory of a backward pass.

None of them makes grading decisions.
"""

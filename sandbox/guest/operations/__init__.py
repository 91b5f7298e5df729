"""What the guest can be asked to do with a submission beside calling it: programs on an engine, derivatives of a
`torch.autograd.Function`, the graph behind a tensor, the memory behind a backward pass. None of it decides anything.
"""

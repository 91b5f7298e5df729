"""The only code that runs inside the sandbox. Imports the standard library, numpy, torch and `sandbox.wire`, nothing else."""

"""The only code that enters the sandbox. Imports the standard library, numpy, torch and `sandbox.wire`, nothing else."""

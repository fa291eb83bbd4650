"""What is wrong with a program's MPI, from what its ranks left behind: see analysis.py and deadlock.py."""

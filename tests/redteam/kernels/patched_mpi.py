# expect: TAMPERED - replaces calls of mpi4py by its own
# include reference.py

from mpi4py import MPI

MPI.Wtime = lambda: 0.0

# expect: ok - an operator in Python, on arrays and on objects; ranks: 3
import numpy as np
from mpi4py import MPI


def longest(a, b, _datatype):
    x, y = np.frombuffer(a, dtype="d"), np.frombuffer(b, dtype="d")
    y[:] = np.where(np.abs(x) > np.abs(y), x, y)


comm = MPI.COMM_WORLD
op = MPI.Op.Create(longest, commute=True)
mine = np.array([-1.0, 1.0]) * comm.rank
result = np.empty(2)
comm.Allreduce(mine, result, op=op)
op.Free()
words = comm.allreduce({comm.rank}, op=lambda a, b: a | b)
print(comm.rank, result.tolist(), sorted(words))

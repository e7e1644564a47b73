"""Irregular collectives of mpi4py, whose MPI_THREAD_MULTIPLE is its default, checked element by
element: each rank sends i + 1 numbers to rank i, as lists of counts and of datatypes, and
gathers, scatters and reduces uneven blocks. Prints "all right" on rank 0."""
from array import array
import sys
import threading

from mpi4py import MPI


def check(condition, what):
    if not condition:
        print("wrong:", what, file=sys.stderr)
        MPI.COMM_WORLD.Abort(1)


def number(sender, receiver, i):
    return 10000 * sender + 100 * receiver + i


def alltoallv(comm):
    p, me = comm.size, comm.rank
    counts = [i + 1 for i in range(p)]
    places = [sum(counts[:i]) for i in range(p)]
    sent = array("i", [number(me, j, k) for j in range(p) for k in range(counts[j])])
    got = array("i", [-1] * (p * (me + 1)))
    back = [me + 1] * p
    comm.Alltoallv([sent, (counts, places), MPI.INT],
                   [got, (back, [j * (me + 1) for j in range(p)]), MPI.INT])
    want = array("i", [number(j, me, k) for j in range(p) for k in range(me + 1)])
    check(got == want, "alltoallv")
    return sent, want


def alltoallw(comm, sent, want):
    p, me = comm.size, comm.rank
    counts = [i + 1 for i in range(p)]
    places = [4 * sum(counts[:i]) for i in range(p)]
    columns = [MPI.INT.Create_vector(me + 1, 1, p).Commit() for _ in range(p)]
    got = array("i", [-1] * (p * (me + 1)))
    comm.Alltoallw([sent, (counts, places), [MPI.INT] * p],
                   [got, ([1] * p, [4 * j for j in range(p)]), columns])
    check(all(got[k * p + j] == want[j * (me + 1) + k] for j in range(p) for k in range(me + 1)),
          "alltoallw")
    for column in columns:
        column.Free()


def rooted(comm, root):
    p, me = comm.size, comm.rank
    counts = [2 * i for i in range(p)]
    mine = array("d", [me + k / 8 for k in range(counts[me])])
    every = array("d", [-1.0] * (sum(counts) or 1)) if me == root else None
    whole = [every, counts, None, MPI.DOUBLE] if me == root else None
    comm.Gatherv([mine, MPI.DOUBLE], whole, root)
    back = array("d", [-2.0] * counts[me])
    comm.Scatterv(whole, [back, MPI.DOUBLE], root)
    check(back == mine, "gatherv or scatterv")


def reductions(comm):
    p, me = comm.size, comm.rank
    counts = [i % 3 for i in range(p)]
    mine = array("q", [me * k for k in range(sum(counts))])
    got = array("q", [-1] * counts[me])
    comm.Reduce_scatter(mine, got, counts, op=MPI.SUM)
    first = sum(counts[:me])
    check(list(got) == [(p * (p - 1) // 2) * (first + k) for k in range(counts[me])],
          "reduce_scatter")
    def larger(a, b, _datatype):
        b[:] = bytes(max(x, y) for x, y in zip(a, b))

    op = MPI.Op.Create(larger, commute=True)
    one, all_ = bytearray([me, p - me]), bytearray(2)
    comm.Allreduce([one, MPI.BYTE], [all_, MPI.BYTE], op=op)
    check(all_ == bytearray([p - 1, p]), "allreduce of an operation in Python")
    op.Free()


def all_of(comm, times):
    for i in range(times):
        sent, want = alltoallv(comm)
        alltoallw(comm, sent, want)
        rooted(comm, i % comm.size)
        reductions(comm)
        check(comm.allreduce(comm.rank) == comm.size * (comm.size - 1) // 2, "allreduce of objects")
        check(comm.allgather(str(comm.rank) * comm.rank) == [str(i) * i for i in range(comm.size)],
              "allgather of objects")
        request = comm.Ibarrier()
        request.Wait()


def main():
    world = MPI.COMM_WORLD
    all_of(world, 5)
    halves = world.Split(world.rank % 2, -world.rank)
    all_of(halves, 5)
    halves.Free()
    # Two threads of each process, each on a communicator of its own, at the same time.
    if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
        comms = [world.Dup(), world.Dup()]
        for comm in comms:
            comm.allreduce(0)  # mpi4py then dups it, with Python's lock held: here, not below
        threads = [threading.Thread(target=all_of, args=(comm, 5)) for comm in comms]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for comm in comms:
            comm.Free()
    if world.rank == 0:
        print("all right")


main()

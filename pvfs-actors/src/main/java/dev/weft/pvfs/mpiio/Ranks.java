package dev.weft.pvfs.mpiio;

import java.lang.foreign.MemorySegment;

/**
 * The message passing that files need: the ranks of a job, seen from one of them and used on its thread. All ranks make all calls but the first two
 * in the same order.
 */
public interface Ranks {
  /** The number of this rank, from 0. */
  int rank();

  /** The number of ranks. */
  int size();

  /** Returns when all ranks have called it. */
  void barrier();

  /** Copies the buffer of {@code root} to the buffers of all ranks; all have one size. */
  void broadcast(MemorySegment buffer, int root);

  /** Concatenates the {@code send} of all ranks, in their order, into {@code receive}; all {@code send} have one size. */
  void allgather(MemorySegment send, MemorySegment receive);

  /** Each rank sends a part to each rank. Parts lie one after the other and may be empty. */
  void alltoallv(MemorySegment send, int[] sendBytes, MemorySegment receive, int[] receiveBytes);
}

package dev.weft.pvfs.mpiio;

import java.lang.foreign.MemorySegment;

/** What files want of message passing: the ranks of a job, by the thread of one of them. All ranks make all calls but the first two, in the same order. */
public interface Ranks {
  /** This one, from 0. */
  int rank();

  /** How many there are. */
  int size();

  /** Returns when all have called it. */
  void barrier();

  /** All buffers, which are of one size, become that of {@code root}. */
  void broadcast(MemorySegment buffer, int root);

  /** {@code receive} becomes the {@code send} of all, which are of one size, in the order of ranks. */
  void allgather(MemorySegment send, MemorySegment receive);

  /** Each sends a part to each; parts lie one after the other, and may be empty. */
  void alltoallv(MemorySegment send, int[] sendBytes, MemorySegment receive, int[] receiveBytes);
}

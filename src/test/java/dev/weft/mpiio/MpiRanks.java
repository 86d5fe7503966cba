package dev.weft.mpiio;

import dev.weft.pvfs.mpiio.Ranks;
import dev.weft.tripwire.mpi.Communicator;
import java.lang.foreign.MemorySegment;

/** Ranks of {@code weft mpi} as files want them. On a copy of the communicator, so that their messages meet no others. */
record MpiRanks(Communicator world) implements Ranks {
  @Override
  public int rank() {
    return world.rank();
  }

  @Override
  public int size() {
    return world.size();
  }

  @Override
  public void barrier() {
    world.barrier();
  }

  @Override
  public void broadcast(MemorySegment buffer, int root) {
    world.bcast(buffer, root);
  }

  @Override
  public void allgather(MemorySegment send, MemorySegment receive) {
    world.allgather(send, receive);
  }

  @Override
  public void alltoallv(MemorySegment send, int[] sendBytes, MemorySegment receive, int[] receiveBytes) {
    world.alltoallv(send, sendBytes, receive, receiveBytes);
  }
}

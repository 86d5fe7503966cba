package dev.weft.tripwire.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Collective operations made of messages: barrier by dissemination, broadcast and reduction along a binomial tree, gather and scatter at the root,
 * all-to-all with one exchange for each other rank. The order of combining depends only on the number of ranks, so a reduction gives the same bits
 * each time.
 */
final class Collectives {
  private final Communicator comm;
  private final int rank;
  private final int size;

  Collectives(Communicator comm) {
    this.comm = comm;
    rank = comm.rank();
    size = comm.size();
  }

  private static MemorySegment temporary(long bytes) {
    return Arena.ofAuto().allocate(Math.max(1, bytes), 8).asSlice(0, bytes);
  }

  void barrier() {
    MemorySegment nothing = temporary(0);
    for (int distance = 1; distance < size; distance <<= 1) {
      comm.collectiveExchange(nothing, (rank + distance) % size, nothing, (rank - distance + size) % size);
    }
  }

  void bcast(MemorySegment buffer, int root) {
    int me = (rank - root + size) % size;
    int bit = 1;
    while (bit < size && (me & bit) == 0) {
      bit <<= 1;
    }
    if (me != 0) {
      comm.collectiveRecv(buffer, (me - bit + root) % size);
    }
    for (int child = bit >> 1; child > 0; child >>= 1) {
      if (me + child < size) {
        comm.collectiveSend(buffer, (me + child + root) % size);
      }
    }
  }

  void reduce(MemorySegment send, MemorySegment receive, Datatype type, Op op, int root) {
    if (send.byteSize() % type.bytes() != 0 || rank == root && receive.byteSize() != send.byteSize()) {
      throw new MpiException(ErrorClass.BUFFER, "a reduction of " + send.byteSize() + " bytes of " + type + " into "
          + (receive == null ? 0 : receive.byteSize()));
    }
    if (type == Datatype.DOUBLE) {
      op.apply(0.0, 0.0); // Rejects an impossible operation before any wait.
    }
    MemorySegment sum = temporary(send.byteSize());
    sum.copyFrom(send);
    MemorySegment other = temporary(send.byteSize());
    int me = (rank - root + size) % size;
    for (int bit = 1; bit < size; bit <<= 1) {
      if ((me & bit) != 0) {
        comm.collectiveSend(sum, (me - bit + root) % size);
        return;
      }
      if (me + bit < size) {
        comm.collectiveRecv(other, (me + bit + root) % size);
        type.combine(op, sum, other);
      }
    }
    receive.copyFrom(sum);
  }

  private static MemorySegment part(MemorySegment whole, int index, long bytes) {
    return whole.asSlice(index * bytes, bytes);
  }

  private void checkWhole(MemorySegment whole, long partBytes, String of) {
    if (whole.byteSize() != partBytes * size) {
      throw new MpiException(ErrorClass.BUFFER, of + " of " + whole.byteSize() + " bytes for " + size + " parts of " + partBytes);
    }
  }

  void gather(MemorySegment send, MemorySegment receive, int root) {
    if (rank != root) {
      comm.collectiveSend(send, root);
      return;
    }
    checkWhole(receive, send.byteSize(), "a gather into a buffer");
    part(receive, rank, send.byteSize()).copyFrom(send);
    for (int step = 1; step < size; step++) {
      int source = (root + step) % size;
      comm.collectiveRecv(part(receive, source, send.byteSize()), source);
    }
  }

  void scatter(MemorySegment send, MemorySegment receive, int root) {
    if (rank != root) {
      comm.collectiveRecv(receive, root);
      return;
    }
    checkWhole(send, receive.byteSize(), "a scatter from a buffer");
    receive.copyFrom(part(send, rank, receive.byteSize()));
    for (int step = 1; step < size; step++) {
      int dest = (root + step) % size;
      comm.collectiveSend(part(send, dest, receive.byteSize()), dest);
    }
  }

  void alltoall(MemorySegment send, MemorySegment receive) {
    if (send.byteSize() != receive.byteSize() || send.byteSize() % size != 0) {
      throw new MpiException(ErrorClass.BUFFER, "an all-to-all of " + size + " ranks with " + send.byteSize() + " and "
          + receive.byteSize() + " bytes");
    }
    int[] parts = new int[size];
    Arrays.fill(parts, (int) (send.byteSize() / size));
    alltoallv(send, parts, receive, parts);
  }

  void alltoallv(MemorySegment send, int[] sendBytes, MemorySegment receive, int[] receiveBytes) {
    long[] from = offsets(sendBytes, send);
    long[] to = offsets(receiveBytes, receive);
    if (sendBytes[rank] != receiveBytes[rank]) {
      throw new MpiException(ErrorClass.BUFFER, "rank " + rank + " has " + sendBytes[rank] + " bytes for itself and wants "
          + receiveBytes[rank]);
    }
    MemorySegment.copy(send, from[rank], receive, to[rank], sendBytes[rank]);
    for (int step = 1; step < size; step++) {
      int dest = (rank + step) % size;
      int source = (rank - step + size) % size;
      comm.collectiveExchange(send.asSlice(from[dest], sendBytes[dest]), dest, receive.asSlice(to[source], receiveBytes[source]), source);
    }
  }

  private long[] offsets(int[] bytes, MemorySegment whole) {
    long[] offsets = new long[size];
    long at = 0;
    for (int i = 0; i < size && bytes.length == size && bytes[i] >= 0; i++) {
      offsets[i] = at;
      at += bytes[i];
    }
    if (bytes.length != size || at > whole.byteSize() || Arrays.stream(bytes).anyMatch(b -> b < 0)) {
      throw new MpiException(ErrorClass.BUFFER, "parts of " + Arrays.toString(bytes) + " bytes for " + size + " ranks in a buffer of "
          + whole.byteSize());
    }
    return offsets;
  }
}

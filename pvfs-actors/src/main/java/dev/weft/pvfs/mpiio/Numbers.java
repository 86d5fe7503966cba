package dev.weft.pvfs.mpiio;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Exchanges numbers between ranks. */
final class Numbers {
  private Numbers() {}

  static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(Math.max(8, bytes), 64).asSlice(0, bytes);
  }

  /** Returns the numbers of each rank; all ranks give equally many. */
  static long[][] gather(Ranks ranks, long... own) {
    MemorySegment send = memory(own.length * 8L).copyFrom(MemorySegment.ofArray(own));
    MemorySegment receive = memory(own.length * 8L * ranks.size());
    ranks.allgather(send, receive);
    long[][] all = new long[ranks.size()][];
    for (int i = 0; i < all.length; i++) {
      all[i] = receive.asSlice(i * send.byteSize(), send.byteSize()).toArray(ValueLayout.JAVA_LONG);
    }
    return all;
  }

  /** Sends a number to each rank, and returns the number from each. */
  static int[] exchange(Ranks ranks, int[] own) {
    int[] each = new int[own.length];
    java.util.Arrays.fill(each, 4);
    MemorySegment send = memory(own.length * 4L).copyFrom(MemorySegment.ofArray(own));
    MemorySegment receive = memory(own.length * 4L);
    ranks.alltoallv(send, each, receive, each);
    return receive.toArray(ValueLayout.JAVA_INT);
  }
}

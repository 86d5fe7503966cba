package dev.weft.tripwire.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations of all ranks, in virtual time, against what they mean. */
@Tag("simulation")
@Timeout(180)
class CollectivesTest {
  private static final String SMALL = "weft.tripwire.mpi { ring = 1 KiB, eager-max = 100, unexpected-max = 600 }";

  private static MemorySegment longs(long... values) {
    MemorySegment segment = Mpi.allocate(values.length * 8L);
    for (int i = 0; i < values.length; i++) {
      segment.setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
    }
    return segment;
  }

  private static long at(MemorySegment segment, int index) {
    return segment.getAtIndex(ValueLayout.JAVA_LONG, index);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8})
  void shouldDoWhatTheyMean(int ranks) {
    try (VirtualJob job = new VirtualJob(ranks, ranks, SMALL)) {
      job.run((mpi, me) -> {
        Communicator world = mpi.world();
        int rank = world.rank();
        me.compute(rank * 7_000L % 5_000);
        for (int root = 0; root < ranks; root++) {
          MemorySegment word = longs(rank == root ? 4711 + root : 0, 1, 2, 3);
          world.bcast(word, root);
          assertEquals(4711 + root, at(word, 0));
          MemorySegment sum = rank == root ? Mpi.allocate(16) : null;
          world.reduce(longs(rank + 1, 1L << rank), sum, Datatype.LONG, Op.SUM, root);
          MemorySegment all = rank == root ? Mpi.allocate(8L * ranks) : null;
          world.gather(longs(rank * 10L), all, root);
          MemorySegment parts = rank == root ? Mpi.allocate(8L * ranks) : null;
          for (int i = 0; i < ranks && rank == root; i++) {
            assertEquals(i * 10L, at(all, i));
            parts.setAtIndex(ValueLayout.JAVA_LONG, i, i * 3L);
          }
          if (rank == root) {
            assertEquals(ranks * (ranks + 1) / 2, at(sum, 0));
            assertEquals((1L << ranks) - 1, at(sum, 1));
          }
          MemorySegment mine = Mpi.allocate(8);
          world.scatter(parts, mine, root);
          assertEquals(rank * 3L, at(mine, 0));
        }
        MemorySegment max = Mpi.allocate(8);
        world.allreduce(longs(rank * 5L % 7), max, Datatype.LONG, Op.MAX);
        long expected = 0;
        for (int i = 0; i < ranks; i++) {
          expected = Math.max(expected, i * 5L % 7);
        }
        assertEquals(expected, at(max, 0));
        allToAll(world);
      }).expectSuccess();
    }
  }

  private static void allToAll(Communicator world) {
    int ranks = world.size();
    int rank = world.rank();
    MemorySegment send = Mpi.allocate(40L * ranks);
    MemorySegment receive = Mpi.allocate(40L * ranks);
    for (int i = 0; i < 5 * ranks; i++) {
      send.setAtIndex(ValueLayout.JAVA_LONG, i, rank * 100L + i / 5);
    }
    world.alltoall(send, receive);
    for (int i = 0; i < 5 * ranks; i++) {
      assertEquals(i / 5 * 100L + rank, at(receive, i));
    }
    int[] sendBytes = new int[ranks];
    int[] receiveBytes = new int[ranks];
    int sendTotal = 0;
    for (int i = 0; i < ranks; i++) {
      sendBytes[i] = 100 * (rank + i);
      receiveBytes[i] = 100 * (rank + i);
      sendTotal += sendBytes[i];
    }
    MemorySegment many = Mpi.allocate(sendTotal + 1).fill((byte) (rank + 1));
    MemorySegment got = Mpi.allocate(sendTotal + 1);
    world.dup().alltoallv(many, sendBytes, got, receiveBytes);
    int at = 0;
    for (int i = 0; i < ranks; i++) {
      for (int end = at + receiveBytes[i]; at < end; at++) {
        assertEquals((byte) (i + 1), got.get(ValueLayout.JAVA_BYTE, at));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5})
  void shouldLetNobodyOutOfABarrierBeforeAllAreIn(int ranks) {
    long[] in = new long[ranks];
    long[] out = new long[ranks];
    try (VirtualJob job = new VirtualJob(1, ranks, SMALL)) {
      job.run((mpi, me) -> {
        me.compute(mpi.world().rank() * 100_000L);
        in[mpi.world().rank()] = me.nowNs();
        mpi.world().barrier();
        out[mpi.world().rank()] = me.nowNs();
      }).expectSuccess();
    }
    for (long left : out) {
      assertTrue(left >= in[ranks - 1], left + " before " + in[ranks - 1]);
    }
  }
}

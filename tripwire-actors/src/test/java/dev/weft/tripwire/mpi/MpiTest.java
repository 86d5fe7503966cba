package dev.weft.tripwire.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.seeds.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages from rank to rank, in virtual time. */
@Tag("simulation")
@Timeout(180)
class MpiTest {
  private static final String SMALL = "weft.tripwire.mpi { ring = 1 KiB, eager-max = 200, unexpected-max = 600, requests-max = 100 }";

  private static MemorySegment numbered(int bytes, int number) {
    MemorySegment message = Mpi.allocate(bytes);
    for (int i = 0; i < bytes; i++) {
      message.set(ValueLayout.JAVA_BYTE, i, (byte) (number * 31 + i * 7));
    }
    return message;
  }

  private static void assertNumbered(int bytes, int number, MemorySegment buffer) {
    assertEquals(-1, buffer.asSlice(0, bytes).mismatch(numbered(bytes, number)), "message " + number + " of " + bytes + " bytes");
  }

  private static ErrorClass failure(org.junit.jupiter.api.function.Executable call) {
    return assertThrows(MpiException.class, call).errorClass();
  }

  @Test
  void shouldSendMessagesOfAnyLengthInOrder() {
    Seeds.of(MpiTest.class, "mpi-lengths", 1, 10, 10).run(seed -> {
      int[] lengths = new SplittableRandom(seed).ints(100, 0, 5_000).map(n -> n % 3 == 0 ? n : n % 250).toArray();
      try (VirtualJob job = new VirtualJob(seed, 2, SMALL)) {
        job.run((mpi, me) -> {
          Communicator world = mpi.world();
          MemorySegment buffer = Mpi.allocate(5_000);
          for (int i = 0; i < lengths.length; i++) {
            if (world.rank() == 0) {
              world.send(numbered(lengths[i], i), 1, i % 4);
              me.compute(i % 7 * 1_000);
            } else {
              me.compute(i % 5 * 1_500);
              assertEquals(new MpiStatus(0, i % 4, lengths[i]), world.recv(buffer, 0, Communicator.ANY_TAG));
              assertNumbered(lengths[i], i, buffer);
            }
          }
        }).expectSuccess();
      }
    });
  }

  /** The sender goes on as far as the receiver's allowance reaches, then announces. */
  @Test
  void shouldHoldUnexpectedMessagesUntilTheirTagIsAskedFor() {
    try (VirtualJob job = new VirtualJob(3, 2, SMALL)) {
      job.run((mpi, me) -> {
        Communicator world = mpi.world();
        if (world.rank() == 0) {
          Request[] sends = new Request[60];
          for (int i = 0; i < sends.length; i++) {
            sends[i] = world.isend(numbered(10 + i, i), 1, i);
          }
          me.compute(500_000);
          long done = Arrays.stream(sends).filter(Request::test).count();
          assertTrue(done > 0 && done <= 600 / 40, done + " messages of 40 and more bytes, for which the receiver keeps 600");
          Request.waitAll(sends);
        } else {
          me.compute(1_000_000);
          MemorySegment buffer = Mpi.allocate(100);
          for (int tag = 59; tag >= 0; tag--) {
            assertEquals(10 + tag, world.probe(0, tag).bytes());
            assertEquals(10 + tag, world.recv(buffer, Communicator.ANY_SOURCE, tag).bytes());
            assertNumbered(10 + tag, tag, buffer);
          }
          assertNull(world.iprobe(Communicator.ANY_SOURCE, Communicator.ANY_TAG));
        }
      }).expectSuccess();
    }
  }

  @Test
  void shouldTakeFromAnySourceWithoutOvertaking() {
    Seeds.of(MpiTest.class, "mpi-any-source", 1, 5, 5).run(seed -> {
      try (VirtualJob job = new VirtualJob(seed, 5, SMALL)) {
        job.run((mpi, me) -> {
          Communicator world = mpi.world();
          if (world.rank() != 0) {
            for (int i = 0; i < 40; i++) {
              int bytes = i % 3 == 0 ? 900 : 8;
              MemorySegment message = numbered(bytes, i);
              message.set(ValueLayout.JAVA_INT, 0, i);
              world.send(message, 0, 9);
              me.compute((i * 37 + world.rank() * 11) % 13 * 300);
            }
          } else {
            int[] next = new int[5];
            MemorySegment buffer = Mpi.allocate(900);
            for (int i = 0; i < 160; i++) {
              MpiStatus status = world.recv(buffer, Communicator.ANY_SOURCE, 9);
              assertEquals(next[status.source()]++, buffer.get(ValueLayout.JAVA_INT, 0), "from " + status.source());
            }
            assertTrue(Arrays.stream(next, 1, 5).allMatch(n -> n == 40));
          }
        }).expectSuccess();
      }
    });
  }

  @Test
  void shouldWriteIntoPostedBuffersWhicheverMemoryTheyAre() {
    try (VirtualJob job = new VirtualJob(4, 2, SMALL)) {
      job.run((mpi, me) -> {
        Communicator world = mpi.world();
        if (world.rank() == 0) {
          world.send(MemorySegment.ofArray(numbered(3_000, 1).toArray(ValueLayout.JAVA_BYTE)), 1, 1);
          world.send(numbered(3_000, 2), 1, 2);
        } else {
          MemorySegment second = Mpi.allocate(4_000);
          Request late = world.irecv(second, 0, 2);
          MemorySegment first = MemorySegment.ofArray(new byte[3_000]);
          world.recv(first, 0, 1);
          assertNumbered(3_000, 1, first);
          while (!late.test()) {
            me.compute(1_000);
          }
          assertNumbered(3_000, 2, second);
        }
      }).expectSuccess();
    }
  }

  @Test
  void shouldSendToItself() {
    try (VirtualJob job = new VirtualJob(4, 1, SMALL)) {
      job.run((mpi, me) -> {
        Communicator world = mpi.world();
        MemorySegment buffer = Mpi.allocate(1_000);
        for (int i = 0; i < 20; i++) {
          world.send(numbered(100, i), 0, 1);
          world.recv(buffer, 0, 1);
          assertNumbered(100, i, buffer);
        }
        Request send = world.isend(numbered(1_000, 3), 0, 2);
        world.recv(buffer, Communicator.ANY_SOURCE, 2);
        send.waitFor();
        assertNumbered(1_000, 3, buffer);
        world.barrier();
      }).expectSuccess();
    }
  }

  @Test
  void shouldTellOfTruncationAndGoOn() {
    try (VirtualJob job = new VirtualJob(4, 2, SMALL)) {
      job.run((mpi, me) -> {
        Communicator world = mpi.world();
        for (int bytes : new int[] {100, 2_000}) {
          if (world.rank() == 0) {
            world.send(numbered(bytes, 1), 1, 1);
            world.send(numbered(8, 2), 1, 2);
          } else {
            assertEquals(ErrorClass.TRUNCATE, failure(() -> world.recv(Mpi.allocate(bytes - 1), 0, 1)));
            MemorySegment buffer = Mpi.allocate(8);
            world.recv(buffer, 0, 2);
            assertNumbered(8, 2, buffer);
          }
        }
      }).expectSuccess();
    }
  }

  @Test
  void shouldRefuseWhatThereIsNot() {
    try (VirtualJob job = new VirtualJob(4, 2, SMALL)) {
      job.run((mpi, me) -> {
        Communicator world = mpi.world();
        MemorySegment buffer = Mpi.allocate(8);
        assertEquals(ErrorClass.RANK, failure(() -> world.send(buffer, 2, 0)));
        assertEquals(ErrorClass.RANK, failure(() -> world.recv(buffer, -7, 0)));
        assertEquals(ErrorClass.TAG, failure(() -> world.send(buffer, 1, -1)));
        assertEquals(ErrorClass.OP, failure(() -> world.reduce(buffer, buffer, Datatype.DOUBLE, Op.BXOR, 0)));
        List<Request> receives = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          receives.add(world.irecv(Mpi.allocate(8), 1 - world.rank(), 5));
        }
        assertEquals(ErrorClass.NO_MEM, failure(() -> world.irecv(buffer, 1 - world.rank(), 5)));
      });
      assertNull(job.failures[0]);
    }
  }

  /** What waits when a rank is lost fails; nothing hangs. */
  @Test
  void shouldFailWhatWaitsForALostRank() {
    Seeds.of(MpiTest.class, "mpi-failures", 1, 5, 5).run(seed -> {
      try (VirtualJob job = new VirtualJob(seed, 3, SMALL)) {
        job.run((mpi, me) -> {
          Communicator world = mpi.world();
          world.barrier();
          if (world.rank() == 2) {
            job.fabric.loseNode("rank-2/nic");
            me.compute(10_000_000);
            throw new MpiException(ErrorClass.PROC_FAILED, "it is dead");
          } else if (world.rank() == 0) {
            world.recv(Mpi.allocate(8), 2, 1);
          } else {
            world.recv(Mpi.allocate(8), 0, 1);
          }
        });
        for (int rank = 0; rank < 2; rank++) {
          assertEquals(ErrorClass.PROC_FAILED, ((MpiException) job.failures[rank]).errorClass(), "rank " + rank + " seed " + seed);
        }
      }
    });
  }

  @Test
  void shouldEndTheJobWhenARankGivesUp() {
    try (VirtualJob job = new VirtualJob(5, 3, SMALL)) {
      job.run((mpi, me) -> {
        if (mpi.world().rank() == 1) {
          throw new MpiException(ErrorClass.OP, "no more");
        }
        mpi.world().barrier();
      });
      for (int rank : new int[] {0, 2}) {
        assertEquals(ErrorClass.PROC_FAILED, ((MpiException) job.failures[rank]).errorClass(), job.failures[rank].toString());
      }
    }
  }

  @Test
  void shouldSayWhoDidNotCome() {
    try (VirtualJob job = new VirtualJob(5, 3, "weft.tripwire.mpi.start-timeout = 5 ms")) {
      job.fabric.link("rank-1/nic").setPartitioned(true);
      job.run((mpi, me) -> mpi.world().barrier());
      assertTrue(job.failures[0].getMessage().contains("rank 1 (rank-1)"), job.failures[0].getMessage());
    }
  }
}

package dev.weft.tripwire.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Rights;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A network that loses, repeats and reorders what it should not. There is no retransmission: the job ends with the right result, or with a
 * typed error at each rank; never with a wrong result, and never not at all.
 */
@Tag("simulation")
@Timeout(180)
class MpiFaultsTest {
  private static final String SMALL = "weft.tripwire.mpi { ring = 1 KiB, eager-max = 200, unexpected-max = 600 }";
  private static final int RANKS = 3;
  private static final int ROUNDS = 30;

  private VirtualJob run(long seed, LinkFaults faults) {
    VirtualJob job = new VirtualJob(seed, RANKS, SMALL);
    job.run((mpi, me) -> {
      Communicator world = mpi.world();
      world.barrier();
      job.fabric.setFaults(faults);
      int next = (world.rank() + 1) % RANKS;
      int before = (world.rank() + RANKS - 1) % RANKS;
      for (int round = 0; round < ROUNDS; round++) {
        int bytes = round % 4 == 0 ? 3_000 : 16;
        MemorySegment send = Mpi.allocate(bytes).fill((byte) (round + world.rank()));
        MemorySegment receive = Mpi.allocate(bytes);
        world.sendrecv(send, next, round, receive, before, round);
        assertEquals(-1, receive.mismatch(Mpi.allocate(bytes).fill((byte) (round + before))), "seed " + seed);
      }
      MemorySegment sum = Mpi.allocate(8);
      MemorySegment mine = Mpi.allocate(8);
      mine.set(ValueLayout.JAVA_LONG, 0, world.rank());
      world.allreduce(mine, sum, Datatype.LONG, Op.SUM);
      assertEquals(RANKS * (RANKS - 1) / 2, sum.get(ValueLayout.JAVA_LONG, 0));
    });
    return job;
  }

  @Test
  void shouldNotCareAboutPacketsThatComeTwice() {
    Seeds.of(MpiFaultsTest.class, "mpi-duplication", 1, 10, 10).run(seed -> {
      try (VirtualJob job = run(seed, new LinkFaults(0, 0.2, 0, 0, 0))) {
        job.expectSuccess();
      }
    });
  }

  @Test
  void shouldEndWithATypedErrorWherePacketsAreLostOrOvertake() {
    int[] ranks = new int[2];
    Seeds.of(MpiFaultsTest.class, "mpi-loss", 1, 40, 20).run(seed -> {
      LinkFaults faults = seed % 2 == 0 ? new LinkFaults(0.002, 0, 0, 0, 0) : new LinkFaults(0, 0, 0.002, 0.002, 20_000);
      try (VirtualJob job = run(seed, faults)) {
        for (RuntimeException failure : job.failures) {
          ranks[failure == null ? 0 : 1]++;
          if (failure != null) {
            ErrorClass errorClass = ((MpiException) failure).errorClass();
            assertTrue(errorClass == ErrorClass.NETWORK || errorClass == ErrorClass.PROC_FAILED, "seed " + seed + ": " + failure);
          }
        }
      }
    });
    assertTrue(ranks[0] > 0 && ranks[1] > 0, ranks[1] + " ranks failed, " + ranks[0] + " did not");
  }

  private static ErrorClass errorOf(VirtualJob job, int rank) {
    return ((MpiException) job.failures[rank]).errorClass();
  }

  /** The NIC has one mapping left for two long messages. */
  @Test
  void shouldEndWithATypedErrorWhereASenderHasNoMappingLeft() {
    try (VirtualJob job = new VirtualJob(1, 2, SMALL + "\nweft.tripwire.mappings-max = 8")) {
      job.run((mpi, me) -> {
        Communicator world = mpi.world();
        if (world.rank() == 0) {
          Descriptor own = job.nics.get(0).export(Mpi.allocate(8)).descriptor(Rights.ALL);
          for (int i = 0; i < 6; i++) {
            job.nics.get(0).map(own);
          }
        }
        world.barrier();
        Request[] requests = new Request[2];
        for (int i = 0; i < requests.length; i++) {
          MemorySegment memory = Mpi.allocate(100_000);
          requests[i] = world.rank() == 0 ? world.isend(memory, 1, i) : world.irecv(memory, 0, i);
        }
        Request.waitAll(requests);
      });
      assertEquals(ErrorClass.NO_MEM, errorOf(job, 0));
      assertEquals(ErrorClass.PROC_FAILED, errorOf(job, 1));
      assertEquals(6, job.nics.get(0).inspect().mappings().size(), "what was mapped for messages was given back");
    }
  }

  /** Whether the receive or the message is first. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndWithATypedErrorWhereAReceiverHasNoApertureLeft(boolean receiveFirst) {
    try (VirtualJob job = new VirtualJob(1, 2, SMALL + "\nweft.tripwire.apertures-max = 8")) {
      job.run((mpi, me) -> {
        Communicator world = mpi.world();
        boolean receives = world.rank() == 1;
        MemorySegment memory = Mpi.allocate(3_000);
        if (receives) {
          for (int i = job.nics.get(1).inspect().apertures().size(); i < 8; i++) {
            job.nics.get(1).export(Mpi.allocate(8));
          }
        }
        world.barrier();
        me.compute(receives == receiveFirst ? 0 : 1_000_000);
        (receives ? world.irecv(memory, 0, 5) : world.isend(memory, 1, 5)).waitFor();
      });
      assertEquals(ErrorClass.NO_MEM, errorOf(job, 1));
      assertEquals(ErrorClass.PROC_FAILED, errorOf(job, 0));
    }
  }

  @Test
  void shouldTakeTheSameTimeForTheSameSeed() {
    try (VirtualJob one = run(9, LinkFaults.NONE); VirtualJob other = run(9, LinkFaults.NONE)) {
      assertNull(one.failures[0]);
      org.junit.jupiter.api.Assertions.assertArrayEquals(one.endNs, other.endNs);
    }
  }
}

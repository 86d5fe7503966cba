package dev.weft.tripwire.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks that are threads of one JVM, against the hardware's thread. */
@Tag("actor")
@Timeout(180)
class MpiRealTimeTest {
  private static void run(int ranks, String overrides, java.util.function.Consumer<Mpi> program) throws InterruptedException {
    Config config = ConfigFactory.parseString(overrides);
    List<String> nodes = IntStream.range(0, ranks).mapToObj(rank -> "rank-" + rank).toList();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (LocalFabric fabric = LocalFabric.start(config)) {
      MpiSettings settings = MpiSettings.from(fabric.config());
      List<Nic> nics = nodes.stream().map(node -> NicDevice.start(fabric, fabric.addNode(node))).toList();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < ranks; i++) {
        int rank = i;
        threads.add(Thread.ofPlatform().start(() -> {
          try {
            Mpi mpi = Mpi.init(nics.get(rank), Waiting.realTime(fabric, settings.spinNs()), settings, rank, nodes);
            try {
              program.accept(mpi);
              mpi.close();
            } finally {
              mpi.giveUp();
            }
          } catch (Throwable thrown) {
            failure.compareAndSet(null, thrown);
          }
        }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
  }

  @Test
  void shouldExchangeMessagesOfAllLengthsAmongFourRanks() throws InterruptedException {
    long seed = 17;
    run(4, "weft.tripwire.mpi { ring = 4 KiB, eager-max = 512, unexpected-max = 2 KiB, spin = 5 us }", mpi -> {
      Communicator world = mpi.world();
      SplittableRandom random = new SplittableRandom(seed);
      for (int round = 0; round < 300; round++) {
        int bytes = random.nextInt(round % 5 == 0 ? 100_000 : 600);
        int step = 1 + random.nextInt(3);
        int dest = (world.rank() + step) % 4;
        int source = (world.rank() + 4 - step) % 4;
        MemorySegment send = Mpi.allocate(bytes).fill((byte) (round + world.rank()));
        MemorySegment receive = Mpi.allocate(bytes);
        assertEquals(bytes, world.sendrecv(send, dest, round, receive, source, round).bytes());
        assertEquals(-1, receive.mismatch(Mpi.allocate(bytes).fill((byte) (round + source))), "round " + round + " seed " + seed);
      }
      MemorySegment sum = Mpi.allocate(4);
      MemorySegment one = Mpi.allocate(4);
      one.set(ValueLayout.JAVA_INT, 0, 1);
      world.allreduce(one, sum, Datatype.INT, Op.SUM);
      assertEquals(4, sum.get(ValueLayout.JAVA_INT, 0));
    });
  }

  /** With no polling at all every message has to wake its receiver. */
  @Test
  void shouldWakeSleepersWithTripwires() throws InterruptedException {
    run(2, "weft.tripwire.mpi { spin = 0, repeat = 10 m }", mpi -> {
      Communicator world = mpi.world();
      MemorySegment word = Mpi.allocate(8);
      for (int round = 0; round < 2_000; round++) {
        if (world.rank() == 0) {
          word.set(ValueLayout.JAVA_LONG, 0, round);
          world.send(word, 1, 0);
        }
        world.recv(word, 1 - world.rank(), 0);
        assertEquals(round, word.get(ValueLayout.JAVA_LONG, 0));
        if (world.rank() == 1) {
          world.send(word, 0, 0);
        }
      }
      assertNull(world.iprobe(Communicator.ANY_SOURCE, Communicator.ANY_TAG));
    });
  }
}

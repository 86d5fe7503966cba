package dev.weft.tripwire.experiments;

import dev.weft.fabric.host.HardwareProfile;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.tripwire.mpi.Communicator;
import dev.weft.tripwire.mpi.Mpi;
import dev.weft.tripwire.mpi.MpiSettings;
import dev.weft.tripwire.mpi.Waiting;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.ObjLongConsumer;

/** Seed 003 section 6.3: the round trip of a word between two ranks that spin. */
public final class MpiExperiment {
  private static final long LIMIT_NS = 10_000_000_000L;
  private static final List<String> NODES = List.of("client", "server");

  private MpiExperiment() {}

  /** Mean round trip in nanoseconds of {@code rounds} words. */
  public static double roundTripNs(HardwareProfile profile, long seed, int rounds) {
    try (ClanFabric clan = new ClanFabric(profile, seed, 64, ""); AppThreads threads = new AppThreads(clan.fabric.system())) {
      long[] times = new long[rounds + 1];
      threads.start("client", me -> run(me, clan, clan.client, 0, rounds, (world, round) -> times[(int) round] = me.nowNs()));
      threads.start("server", me -> run(me, clan, clan.server, 1, rounds, (world, round) -> { }));
      threads.runToEnd(LIMIT_NS);
      return (double) (times[rounds] - times[0]) / rounds;
    }
  }

  /** The first round opens the flows. */
  private static void run(AppThread me, ClanFabric clan, ClanFabric.Side side, int rank, int rounds, ObjLongConsumer<Communicator> done) {
    try (Mpi mpi = Mpi.init(side.nic, Waiting.spinning(me, SharedMemoryExperiment.LOOK_NS), MpiSettings.from(clan.fabric.config()), rank,
        NODES)) {
      MemorySegment word = Mpi.allocate(Integer.BYTES);
      Communicator world = mpi.world();
      for (int round = 0; round <= rounds; round++) {
        if (rank == 0) {
          world.send(word, 1, 0);
          world.recv(word, 1, 0);
        } else {
          world.recv(word, 0, 0);
          world.send(word, 0, 0);
        }
        done.accept(world, round);
      }
    }
  }
}

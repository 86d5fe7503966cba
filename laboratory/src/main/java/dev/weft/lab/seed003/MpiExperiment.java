package dev.weft.lab.seed003;

import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.tripwire.mpi.Communicator;
import dev.weft.tripwire.mpi.Mpi;
import dev.weft.tripwire.mpi.MpiSettings;
import dev.weft.tripwire.mpi.Waiting;
import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Seed 003 section 6.3: the round trip of a message between two ranks that spin. */
public final class MpiExperiment {
  private static final long LIMIT_NS = 10_000_000_000L;
  private static final List<String> NODES = List.of("client", "server");
  private static final int TAG = 1;

  private MpiExperiment() {}

  /** Mean round trip in nanoseconds of a message of one 32-bit word. */
  public static double roundTripNs(HardwareProfile profile, long seed, int rounds) {
    try (ClanFabric clan = new ClanFabric(profile, seed, 64, ""); AppThreads threads = new AppThreads(clan.fabric.system())) {
      MpiSettings settings = MpiSettings.from(clan.fabric.config());
      long[] spent = new long[1];
      threads.start("rank-0", me -> {
        try (Mpi mpi = start(me, clan.client.nic, profile, settings, 0)) {
          MemorySegment word = Mpi.allocate(Integer.BYTES);
          for (int round = 0; round <= rounds; round++) {
            long startNs = me.nowNs();
            word.set(ValueLayout.JAVA_INT, 0, round);
            mpi.world().send(word, 1, TAG);
            receive(mpi.world(), word, 1, round);
            spent[0] += round == 0 ? 0 : me.nowNs() - startNs; // Before the first, the other may still be starting.
          }
        }
      });
      threads.start("rank-1", me -> {
        try (Mpi mpi = start(me, clan.server.nic, profile, settings, 1)) {
          MemorySegment word = Mpi.allocate(Integer.BYTES);
          for (int round = 0; round <= rounds; round++) {
            receive(mpi.world(), word, 0, round);
            mpi.world().send(word, 0, TAG);
          }
        }
      });
      threads.runToEnd(LIMIT_NS);
      return (double) spent[0] / rounds;
    }
  }

  private static Mpi start(AppThread me, Nic nic, HardwareProfile profile, MpiSettings settings, int rank) {
    return Mpi.init(nic, Waiting.spinning(me, profile.cpu().pollNs()), settings, rank, NODES);
  }

  private static void receive(Communicator world, MemorySegment word, int source, int expected) {
    world.recv(word, source, TAG);
    if (word.get(ValueLayout.JAVA_INT, 0) != expected) {
      throw new IllegalStateException("received " + word.get(ValueLayout.JAVA_INT, 0) + " in round " + expected);
    }
  }
}

package dev.weft.lab.seed003;

import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.lab.hosts.HardwareProfile;
import java.util.SplittableRandom;

/** Seed 003 section 5.3.1: small requests to the event server. The client spins for replies, and sending costs its processor nothing. */
public final class ServerExperiment {
  /** Most connections: the identifiers of all of them fit into the FIFO and the event queue. */
  public static final int CONNECTIONS_MAX = 1024;

  private static final long LIMIT_NS = 100_000_000_000L;
  private static final int SLOT = 64;

  private ServerExperiment() {}

  /**
   * Mean round trip in nanoseconds of a small message on a random connection.
   *
   * @param gapNs how long the client waits between a reply and the next request
   */
  public static double roundTripNs(HardwareProfile profile, long seed, int connectionCount, long gapNs, int rounds) {
    try (ClanFabric clan = new ClanFabric(profile, seed, (long) connectionCount * SLOT, "");
        AppThreads threads = new AppThreads(clan.fabric.system())) {
      EventServer server = echo(clan, connectionCount);
      SplittableRandom random = new SplittableRandom(seed);
      long[] spent = new long[1];
      threads.start("client", me -> {
        for (int round = 1; round <= rounds + 1; round++) {
          long startNs = me.nowNs();
          long offset = (long) random.nextInt(connectionCount) * SLOT;
          request(me, clan, offset, round);
          reply(me, clan, offset, round);
          spent[0] += round == 1 ? 0 : me.nowNs() - startNs; // The first opens the flows.
          me.compute(gapNs);
        }
      });
      threads.runToEnd(LIMIT_NS);
      server.checkIdle();
      return (double) spent[0] / rounds;
    }
  }

  /**
   * Requests answered in a second when the client sends one on each connection before it collects the replies.
   *
   * @param settings over those of {@link ClanFabric}: what would be if
   */
  public static double requestsPerSecond(HardwareProfile profile, long seed, int connectionCount, int rounds, String settings) {
    try (ClanFabric clan = new ClanFabric(profile, seed, (long) connectionCount * SLOT, settings);
        AppThreads threads = new AppThreads(clan.fabric.system())) {
      EventServer server = echo(clan, connectionCount);
      long[] spent = new long[1];
      threads.start("client", me -> {
        for (int round = 1; round <= rounds + 1; round++) {
          long startNs = me.nowNs();
          for (int i = 0; i < connectionCount; i++) {
            request(me, clan, (long) i * SLOT, round);
          }
          for (int i = 0; i < connectionCount; i++) {
            reply(me, clan, (long) i * SLOT, round);
          }
          spent[0] += round == 1 ? 0 : me.nowNs() - startNs;
        }
      });
      threads.runToEnd(LIMIT_NS);
      server.checkIdle();
      return (double) rounds * connectionCount * 1e9 / spent[0];
    }
  }

  private static EventServer echo(ClanFabric clan, int connectionCount) {
    EventServer server = new EventServer(clan, (connection, firings) -> {
      long offset = (long) connection * SLOT;
      return clan.server.peer.writeLong(offset, clan.server.word(offset));
    });
    for (int i = 0; i < connectionCount; i++) {
      server.accept((long) i * SLOT);
    }
    return server;
  }

  private static void request(AppThread me, ClanFabric clan, long offset, long value) {
    me.spin(SharedMemoryExperiment.LOOK_NS, () -> clan.client.peer.writeLong(offset, value));
  }

  private static void reply(AppThread me, ClanFabric clan, long offset, long value) {
    me.spin(SharedMemoryExperiment.LOOK_NS, () -> clan.client.word(offset) == value);
  }
}

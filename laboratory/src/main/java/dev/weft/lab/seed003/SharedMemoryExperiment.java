package dev.weft.lab.seed003;

import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.tripwire.nic.DmaQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Seed 003 section 5.2: the round trip of a word with both sides spinning, and the bandwidth of DMA. */
public final class SharedMemoryExperiment {
  private static final long LIMIT_NS = 10_000_000_000L;
  /** A processor that spins looks that often. */
  static final long LOOK_NS = 20;

  private SharedMemoryExperiment() {}

  /** Mean round trip in nanoseconds of {@code rounds} words. */
  public static double wordRoundTripNs(HardwareProfile profile, long seed, int rounds) {
    try (ClanFabric clan = new ClanFabric(profile, seed, 64, ""); AppThreads threads = new AppThreads(clan.fabric.system())) {
      long[] spent = new long[1];
      threads.start("client", me -> {
        for (int round = 0; round <= rounds; round++) {
          long startNs = me.nowNs();
          clan.client.peer.writeInt(0, round + 1);
          spin(me, clan.client, round + 1);
          spent[0] += round == 0 ? 0 : me.nowNs() - startNs; // The first opens the flows.
        }
      });
      threads.start("server", me -> {
        for (int round = 0; round <= rounds; round++) {
          spin(me, clan.server, round + 1);
          clan.server.peer.writeInt(0, round + 1);
        }
      });
      threads.runToEnd(LIMIT_NS);
      return (double) spent[0] / rounds;
    }
  }

  private static void spin(AppThread me, ClanFabric.Side side, long value) {
    me.spin(LOOK_NS, () -> side.word(0) >= value);
  }

  /** Bits per second of a large DMA transfer, from its first word's arrival to its last. */
  public static double dmaBitsPerSecond(HardwareProfile profile, long seed, int bytes) {
    try (ClanFabric clan = new ClanFabric(profile, seed, bytes, "weft.tripwire.burst-max = " + profile.mtuBytes());
        Arena arena = Arena.ofShared(); AppThreads threads = new AppThreads(clan.fabric.system())) {
      MemorySegment source = arena.allocate(bytes, 8).fill((byte) 1);
      DmaQueue queue = clan.client.nic.endpoint(0).dma();
      long[] spent = new long[1];
      threads.start("receiver", me -> {
        queue.write(clan.client.peer, 0, source, 0, bytes, 0);
        me.spin(LOOK_NS, () -> clan.server.word(0) != 0);
        long startNs = me.nowNs();
        me.spin(LOOK_NS, () -> clan.server.word(bytes - Long.BYTES) != 0);
        spent[0] = me.nowNs() - startNs;
      });
      threads.runToEnd(LIMIT_NS);
      return bytes * 8e9 / spent[0];
    }
  }
}

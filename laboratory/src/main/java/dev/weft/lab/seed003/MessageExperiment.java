package dev.weft.lab.seed003;

import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.tripwire.nic.DmaQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Seed 003 section 5.3.2: messages by DMA to the event server, which acknowledges each. Messages go to one place, one after the other; the
 * server's Tripwire watches their last eight bytes.
 */
public final class MessageExperiment {
  /** Shortest message in bytes. */
  public static final int BYTES_MIN = Long.BYTES;

  private static final long LIMIT_NS = 100_000_000_000L;

  private MessageExperiment() {}

  /** Nanoseconds from one message to the next when each waits for the acknowledgement of the one before. */
  public static double singleNs(HardwareProfile profile, long seed, int bytes, int messages) {
    return periodNs(profile, seed, bytes, messages, false);
  }

  /** Nanoseconds from one message to the next when none waits. */
  public static double streamNs(HardwareProfile profile, long seed, int bytes, int messages) {
    return periodNs(profile, seed, bytes, messages, true);
  }

  private static double periodNs(HardwareProfile profile, long seed, int bytes, int messages, boolean isStream) {
    try (ClanFabric clan = new ClanFabric(profile, seed, bytes, ""); Arena arena = Arena.ofShared();
        AppThreads threads = new AppThreads(clan.fabric.system())) {
      MemorySegment source = arena.allocate(bytes, 8).fill((byte) 1);
      long[] acknowledged = new long[1];
      EventServer server = new EventServer(clan, (connection, firings) -> {
        boolean sent = clan.server.peer.writeLong(0, acknowledged[0] + firings);
        acknowledged[0] += sent ? firings : 0;
        return sent;
      });
      server.accept(bytes - Long.BYTES);
      DmaQueue queue = clan.client.nic.endpoint(0).dma();
      long[] spent = new long[1];
      threads.start("client", me -> {
        long startNs = 0;
        int posted = 0;
        for (int done = 0; done <= messages; done++) {
          while (posted <= (isStream ? messages : done)) {
            post(me, clan, queue, source);
            posted++;
          }
          int number = done;
          me.spin(SharedMemoryExperiment.LOOK_NS, () -> clan.client.word(0) > number);
          startNs = done == 0 ? me.nowNs() : startNs; // The first opens the flows.
        }
        spent[0] = me.nowNs() - startNs;
      });
      threads.runToEnd(LIMIT_NS);
      server.checkIdle();
      return (double) spent[0] / messages;
    }
  }

  /** The driver is called when the queue is empty. */
  private static void post(AppThread me, ClanFabric clan, DmaQueue queue, MemorySegment source) {
    if (queue.isIdle()) {
      me.compute(clan.profile.cpu().systemCallNs());
    }
    if (!queue.write(clan.client.peer, 0, source, 0, (int) source.byteSize(), 0)) {
      throw new IllegalStateException("the DMA queue is full; send fewer messages");
    }
  }
}

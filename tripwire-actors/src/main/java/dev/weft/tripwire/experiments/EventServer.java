package dev.weft.tripwire.experiments;

import dev.weft.fabric.host.HardwareProfile;
import dev.weft.fabric.host.VirtualHost;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.tripwire.EventQueue;
import dev.weft.tripwire.Tripwire;
import dev.weft.tripwire.Watch;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The event-based server of seed 003 section 5.3 in virtual time: one process, a Tripwire for each connection, an event queue in a select
 * loop. It empties the queue, polls for 15 us, then sleeps in select. The client spins.
 */
public final class EventServer {
  private static final long LIMIT_NS = 100_000_000_000L;
  private static final long POLL_NS = 15_000;
  private static final int SLOT = 64;

  private enum State { ASLEEP, WOKEN, POLLING, SERVING }

  private final ClanFabric clan;
  private final VirtualHost host;
  private final EventQueue queue;
  private final int process;
  private final Map<Tripwire, Integer> connections = new IdentityHashMap<>(); // Looked up, never iterated.
  private State state = State.ASLEEP;
  private long polls;

  private EventServer(ClanFabric clan, int connectionCount) {
    this.clan = clan;
    host = clan.fabric.host("server");
    process = host.addProcess("server");
    queue = clan.server.nic.eventQueue();
    for (int i = 0; i < connectionCount; i++) {
      Tripwire wire = clan.server.nic.tripwire().set(clan.server.aperture, Watch.WRITE, (long) i * SLOT, Long.BYTES, false);
      connections.put(wire, i);
      queue.register(wire);
      wire.arm();
    }
    queue.onReadable(this::readable);
  }

  /** Called by the interrupt's handler. */
  private void readable() {
    if (state == State.ASLEEP) {
      state = State.WOKEN;
      host.spin(process, true); // It keeps its processor until it goes to sleep.
      host.compute(process, host.profile().cpu().systemCallNs(), this::serve);
    } else if (state == State.POLLING) {
      state = State.SERVING;
      host.poll(process, this::serve);
    }
  }

  private void serve() {
    state = State.SERVING;
    if (queue.poll()) {
      int connection = connections.get((Tripwire) queue.source());
      long offset = (long) connection * SLOT;
      clan.server.peer.writeLong(offset, clan.server.word(offset));
      host.poll(process, this::serve);
      return;
    }
    state = State.POLLING;
    long mine = ++polls;
    clan.fabric.system().system().scheduler().scheduleOnce(Duration.ofNanos(POLL_NS), () -> sleep(mine),
        clan.fabric.system().system().executionContext());
  }

  private void sleep(long pollNumber) {
    if (state == State.POLLING && polls == pollNumber) {
      state = State.ASLEEP;
      host.spin(process, false);
    }
  }

  /**
   * Mean round trip in nanoseconds of a small message on a random connection.
   *
   * @param gapNs how long the client waits between a reply and the next request
   */
  public static double roundTripNs(HardwareProfile profile, long seed, int connectionCount, long gapNs, int rounds) {
    try (ClanFabric clan = new ClanFabric(profile, seed, (long) connectionCount * SLOT, "weft.tripwire.tripwires-max = 4096");
        AppThreads threads = new AppThreads(clan.fabric.system())) {
      EventServer server = new EventServer(clan, connectionCount);
      SplittableRandom random = new SplittableRandom(seed);
      long[] spent = new long[1];
      threads.start("client", me -> {
        for (int round = 1; round <= rounds + 1; round++) {
          long startNs = me.nowNs();
          request(me, clan, (long) random.nextInt(connectionCount) * SLOT, round);
          spent[0] += round == 1 ? 0 : me.nowNs() - startNs; // The first opens the flows.
          me.compute(gapNs);
        }
      });
      threads.runToEnd(LIMIT_NS);
      if (server.queue.size() != 0) {
        throw new IllegalStateException(server.queue.size() + " events were not taken");
      }
      return (double) spent[0] / rounds;
    }
  }

  private static void request(AppThread me, ClanFabric clan, long offset, long value) {
    clan.client.peer.writeLong(offset, value);
    while (clan.client.word(offset) != value) {
      me.compute(SharedMemoryExperiment.LOOK_NS);
    }
  }
}

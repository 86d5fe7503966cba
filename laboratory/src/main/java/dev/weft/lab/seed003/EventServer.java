package dev.weft.lab.seed003;

import dev.weft.lab.hosts.VirtualHost;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The event-based server of seed 003 section 5.3 in virtual time: one process, a Tripwire for each connection, an event queue in a select
 * loop. It empties the queue, polls for 15 us, then sleeps in select.
 */
final class EventServer {
  private static final long POLL_NS = 15_000;

  /** What the server does about an event, in its process. */
  @FunctionalInterface
  interface Service {
    /** Answers {@code firings} of a connection's Tripwire; false if the NIC has no room, then it is asked again. */
    boolean answer(int connection, long firings);
  }

  private enum State { ASLEEP, WOKEN, POLLING, SERVING }

  private final ClanFabric clan;
  private final VirtualHost host;
  private final EventQueue queue;
  private final Service service;
  private final int process;
  private final Map<Tripwire, Integer> connections = new IdentityHashMap<>(); // Looked up, never iterated.
  private State state = State.ASLEEP;
  private long polls;

  EventServer(ClanFabric clan, Service service) {
    this.clan = clan;
    this.service = service;
    host = VirtualHost.of(clan.fabric, "server");
    process = host.addProcess("server");
    queue = clan.server.nic.eventQueue();
    queue.onReadable(this::readable);
  }

  /** Watches eight bytes of the server's memory for writes: the next connection, counted from 0. */
  void accept(long offset) {
    Tripwire wire = clan.server.nic.tripwire().set(clan.server.aperture, Watch.WRITE, offset, Long.BYTES, false);
    connections.put(wire, connections.size());
    queue.register(wire);
    wire.arm();
  }

  /** @throws IllegalStateException if something was not answered */
  void checkIdle() {
    if (queue.size() != 0) {
      throw new IllegalStateException(queue.size() + " events were not taken");
    }
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
      answer(connections.get((Tripwire) queue.source()), queue.count());
      return;
    }
    state = State.POLLING;
    long mine = ++polls;
    clan.fabric.system().system().scheduler().scheduleOnce(Duration.ofNanos(POLL_NS), () -> sleep(mine),
        clan.fabric.system().system().executionContext());
  }

  private void answer(int connection, long firings) {
    boolean answered = service.answer(connection, firings);
    host.poll(process, answered ? this::serve : () -> answer(connection, firings));
  }

  private void sleep(long pollNumber) {
    if (state == State.POLLING && polls == pollNumber) {
      state = State.ASLEEP;
      host.spin(process, false);
    }
  }
}

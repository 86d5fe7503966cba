package dev.weft.tripwire.ip;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.connect.Caller;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Traffic of one host to another: waiting packets, and a link that is set up for the first of them. Hardware thread. Bound: {@code queue-packets}
 * wait.
 */
final class Neighbour {
  /** Delay before it looks again for room in the NIC. */
  static final long SOON_NS = 50_000;

  private final Nic nic;
  private final Endpoint endpoint;
  private final String nodeName;
  private final IpSettings settings;
  private final IpCounters counters;
  private final Consumer<PacketBuffer> done;
  private final Runnable wake;
  private final ArrayDeque<PacketBuffer> waiting = new ArrayDeque<>();
  private Caller caller;
  private PacketTransmitter transmitter;
  private boolean open;
  private long deadlineNs;
  private long retryAtNs = Long.MIN_VALUE;

  Neighbour(Nic nic, Endpoint endpoint, String nodeName, IpSettings settings, IpCounters counters, Consumer<PacketBuffer> done,
      Runnable wake) {
    this.nic = nic;
    this.endpoint = endpoint;
    this.nodeName = nodeName;
    this.settings = settings;
    this.counters = counters;
    this.done = done;
    this.wake = wake;
  }

  /** Takes a packet for this neighbour. */
  void add(PacketBuffer packet, long nowNs) {
    if (waiting.size() == settings.queuePackets() && open) {
      step(nowNs);
    }
    if (waiting.size() == settings.queuePackets()) {
      counters.queueFull.incrementAndGet();
      done.accept(packet);
    } else {
      waiting.add(packet);
    }
  }

  /** The other host refused the call. */
  void refused(int lid, int port, Status status) {
    if (caller != null && caller.lid() == lid && caller.port() == port) {
      caller.refused(status);
    }
  }

  boolean isOpen() {
    return open;
  }

  /** Continues as far as possible; returns the latest time of the next call. */
  long step(long nowNs) {
    try {
      if (transmitter == null && !waiting.isEmpty()) {
        call(nowNs);
      }
      if (transmitter != null && !open) {
        return connect(nowNs);
      }
      return open ? send(nowNs) : Long.MAX_VALUE;
    } catch (NicException failed) {
      fail(nowNs);
      return Long.MAX_VALUE;
    }
  }

  private void call(long nowNs) {
    int lid = nic.lidOf(nodeName);
    if (lid == 0 || nowNs < retryAtNs) {
      drop();
      return;
    }
    transmitter = new PacketTransmitter(nic, settings, done, wake);
    caller = new Caller(nic, endpoint, lid, settings.port(), transmitter.call().toBytes());
    caller.ready().onFired((wire, firings) -> wake.run(), ReceiveContext.ISR);
    deadlineNs = nowNs + settings.connectTimeoutNs();
  }

  private long connect(long nowNs) {
    switch (caller.step()) {
      case CALLING, WAITING -> {
        if (nowNs >= deadlineNs) {
          fail(nowNs);
          return Long.MAX_VALUE;
        }
        return Math.min(deadlineNs, nowNs + SOON_NS * 20);
      }
      case REJECTED, FAILED -> {
        fail(nowNs);
        return Long.MAX_VALUE;
      }
      case ACCEPTED -> {
        transmitter.connect(Wire.Answer.of(caller.answer()));
        transmitter.ready().onFired((wire, firings) -> wake.run(), ReceiveContext.ISR);
        transmitter.ready().arm();
        open = true;
        counters.linksOpened.incrementAndGet();
      }
    }
    return send(nowNs);
  }

  private long send(long nowNs) {
    Tripwire ready = transmitter.ready();
    if (ready.take()) {
      ready.arm();
    }
    while (!waiting.isEmpty()) {
      if (!transmitter.trySend(waiting.peek())) {
        counters.stalls.incrementAndGet();
        break;
      }
      waiting.poll();
      counters.sent.incrementAndGet();
    }
    return transmitter.flush() ? nowNs + SOON_NS : Long.MAX_VALUE;
  }

  /** Ends the link if the other host or its buffers are gone. */
  void check(long nowNs) {
    if (open && (caller.peerStatus() != Status.OK || transmitter.status() != Status.OK)) {
      fail(nowNs);
    }
  }

  private void fail(long nowNs) {
    counters.linksFailed.incrementAndGet();
    retryAtNs = nowNs + settings.retryDelayNs();
    close();
  }

  private void drop() {
    counters.unreachable.addAndGet(waiting.size());
    waiting.forEach(done);
    waiting.clear();
  }

  void close() {
    drop();
    open = false;
    if (transmitter != null) {
      transmitter.close();
      transmitter = null;
    }
    if (caller != null) {
      caller.close();
      caller = null;
    }
  }
}

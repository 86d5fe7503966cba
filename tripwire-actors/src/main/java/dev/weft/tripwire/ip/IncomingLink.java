package dev.weft.tripwire.ip;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.connect.Callee;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import java.util.function.Predicate;

/** A link on which another host sends packets. Hardware thread. */
final class IncomingLink {
  private static final int REASON_INVALID = 1;

  private final Nic nic;
  private final IpSettings settings;
  private final IpCounters counters;
  private final Callee callee;
  private final Runnable wake;
  private final long deadlineNs;
  private PacketReceiver receiver;
  private boolean open;
  private boolean over;

  IncomingLink(Nic nic, IpSettings settings, IpCounters counters, Callee callee, Runnable wake, long nowNs) {
    this.nic = nic;
    this.settings = settings;
    this.counters = counters;
    this.callee = callee;
    this.wake = wake;
    deadlineNs = nowNs + settings.connectTimeoutNs();
    callee.ready().onFired((wire, firings) -> wake.run(), ReceiveContext.ISR);
  }

  int lid() {
    return callee.lid();
  }

  boolean isOver() {
    return over;
  }

  /**
   * Continues as far as possible; returns the latest time of the next call.
   *
   * @param sink takes packets; returns false to drop a packet for lack of room
   */
  long step(long nowNs, Predicate<PacketReceiver.Packet> sink) {
    try {
      if (!over && !open && !accept(nowNs)) {
        return Math.min(deadlineNs, nowNs + Neighbour.SOON_NS * 20);
      }
      return over ? Long.MAX_VALUE : receive(nowNs, sink);
    } catch (NicException failed) {
      fail();
      return Long.MAX_VALUE;
    }
  }

  private boolean accept(long nowNs) {
    byte[] request = callee.request();
    if (request == null) {
      if (nowNs >= deadlineNs) {
        fail();
      }
      return over;
    }
    if (receiver == null) {
      receiver = open(request);
    }
    if (receiver == null || !callee.accept(receiver.answer().toBytes())) {
      return over;
    }
    receiver.ready().onFired((wire, firings) -> wake.run(), ReceiveContext.ISR);
    receiver.ready().arm();
    open = true;
    counters.linksOpened.incrementAndGet();
    return true;
  }

  private PacketReceiver open(byte[] request) {
    try {
      Wire.Call call = Wire.Call.of(request);
      if (call.mtuBytes() > settings.mtuBytes()) {
        throw new NicException(Status.INVALID, "packets of " + call.mtuBytes() + " bytes, want at most " + settings.mtuBytes());
      }
      return new PacketReceiver(nic, call, settings.buffers());
    } catch (NicException refused) {
      callee.reject(REASON_INVALID);
      fail();
      return null;
    }
  }

  private long receive(long nowNs, Predicate<PacketReceiver.Packet> sink) {
    Tripwire ready = receiver.ready();
    if (ready.take()) {
      ready.arm();
    }
    for (PacketReceiver.Packet packet = receiver.poll(); packet != null; packet = receiver.poll()) {
      if (sink.test(packet)) {
        counters.received.incrementAndGet();
      } else {
        counters.notDelivered.incrementAndGet();
        receiver.release(packet);
      }
    }
    return receiver.offer() ? nowNs + Neighbour.SOON_NS : Long.MAX_VALUE;
  }

  /** Ends the link if the other host or its queues are gone. */
  void check() {
    if (!over && callee.peerStatus() != Status.OK) {
      fail();
    }
  }

  private void fail() {
    counters.linksFailed.incrementAndGet();
    close();
  }

  void close() {
    if (over) {
      return;
    }
    over = true;
    if (receiver != null) {
      receiver.close();
    }
    callee.close();
  }
}

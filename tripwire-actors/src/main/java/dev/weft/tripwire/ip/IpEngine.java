package dev.weft.tripwire.ip;

import dev.weft.tripwire.connect.Callee;
import dev.weft.tripwire.connect.HardwareLoop;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * All links of one host: routes packets, sets links up on demand, and accepts calls. Hardware thread, except {@link #outbound} and {@link #returned}.
 */
final class IpEngine implements HardwareLoop.Work {
  private final Nic nic;
  private final IpSettings settings;
  private final IpCounters counters;
  private final Endpoint endpoint;
  private final Runnable wake;
  private final Consumer<PacketBuffer> done;
  private final Predicate<PacketReceiver.Packet> sink;
  private final Map<Integer, Neighbour> neighbours = new LinkedHashMap<>();
  private final List<IncomingLink> incoming = new ArrayList<>();
  /** Packets from the kernel. */
  final ManyToOneConcurrentArrayQueue<PacketBuffer> outbound;
  /** Packets that the kernel has taken. */
  final ManyToOneConcurrentArrayQueue<PacketReceiver.Packet> returned;
  /** Number of received packets that have not been returned. */
  private int held;
  private final int heldMax;
  private long checkAtNs = Long.MIN_VALUE;

  /**
   * An engine that accepts calls at once.
   *
   * @param done takes transmitted packets back
   * @param sink takes received packets, which come back through {@link #returned}; returns false if it has no room
   * @param wake schedules a call of {@link #step}
   */
  IpEngine(Nic nic, IpSettings settings, IpCounters counters, Consumer<PacketBuffer> done, Predicate<PacketReceiver.Packet> sink,
      Runnable wake) {
    this.nic = nic;
    this.settings = settings;
    this.counters = counters;
    this.wake = wake;
    this.done = done;
    this.sink = sink;
    outbound = new ManyToOneConcurrentArrayQueue<>(settings.transmitBuffers());
    heldMax = settings.buffers() * settings.linksMax();
    returned = new ManyToOneConcurrentArrayQueue<>(heldMax);
    endpoint = nic.endpoint(settings.port());
    endpoint.onMessage(wake);
  }

  /** Routes packets for this address to a host. Call it before the first packet. */
  void addRoute(int address, String nodeName) {
    if (neighbours.size() == settings.linksMax()) {
      throw new NicException(Status.EXHAUSTED, "IP over CLAN has " + neighbours.size() + " neighbours; raise weft.tripwire.ip.links-max");
    }
    neighbours.put(address, new Neighbour(nic, endpoint, nodeName, settings, counters, done, wake));
  }

  @Override
  public long step(long nowNs) {
    takeMessages(nowNs);
    takeReturned();
    for (PacketBuffer packet = outbound.poll(); packet != null; packet = outbound.poll()) {
      route(packet, nowNs);
    }
    check(nowNs);
    long nextNs = Long.MAX_VALUE;
    for (IncomingLink link : incoming) {
      nextNs = Math.min(nextNs, link.step(nowNs, this::deliver));
    }
    boolean anyOpen = !incoming.isEmpty();
    for (Neighbour neighbour : neighbours.values()) {
      nextNs = Math.min(nextNs, neighbour.step(nowNs));
      anyOpen |= neighbour.isOpen();
    }
    return anyOpen ? Math.min(nextNs, checkAtNs) : nextNs;
  }

  private void takeReturned() {
    for (PacketReceiver.Packet packet = returned.poll(); packet != null; packet = returned.poll()) {
      packet.from().release(packet);
      held--;
    }
  }

  /** Never more packets than there is room for when they come back. */
  private boolean deliver(PacketReceiver.Packet packet) {
    if (held == heldMax) {
      return false;
    }
    held++;
    boolean taken = sink.test(packet);
    held -= taken ? 0 : 1;
    return taken;
  }

  private void route(PacketBuffer packet, long nowNs) {
    Neighbour neighbour = neighbours.get(packet.destination());
    if (neighbour == null) {
      counters.noRoute.incrementAndGet();
      done.accept(packet);
    } else {
      neighbour.add(packet, nowNs);
    }
  }

  private void takeMessages(long nowNs) {
    for (Endpoint.Message message = endpoint.poll(); message != null; message = endpoint.poll()) {
      if (message.status() != Status.OK) {
        for (Neighbour neighbour : neighbours.values()) {
          neighbour.refused(message.fromLid(), message.fromPort(), message.status());
        }
      } else if (Callee.isCall(message)) {
        answer(message, nowNs);
      }
    }
  }

  private void answer(Endpoint.Message call, long nowNs) {
    for (IncomingLink link : incoming) {
      if (link.lid() == call.fromLid()) {
        link.close(); // That host has restarted.
      }
    }
    incoming.removeIf(IncomingLink::isOver);
    if (incoming.size() == settings.linksMax()) {
      counters.linksFailed.incrementAndGet();
      return; // Its call times out.
    }
    try {
      incoming.add(new IncomingLink(nic, settings, counters, Callee.of(nic, call), wake, nowNs));
    } catch (NicException exhausted) {
      counters.linksFailed.incrementAndGet();
    }
  }

  private void check(long nowNs) {
    if (nowNs < checkAtNs) {
      return;
    }
    checkAtNs = nowNs + settings.checkIntervalNs();
    incoming.forEach(IncomingLink::check);
    incoming.removeIf(IncomingLink::isOver);
    for (Neighbour neighbour : neighbours.values()) {
      neighbour.check(nowNs);
    }
  }

  /** Ends all links and frees everything. */
  void close() {
    takeReturned();
    incoming.forEach(IncomingLink::close);
    incoming.clear();
    neighbours.values().forEach(Neighbour::close);
    endpoint.close();
  }
}

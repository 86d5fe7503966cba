package dev.weft.lab.kit;

import dev.weft.fabric.link.LinkObserver;
import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.verbs.HcaSnapshot;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.IntFunction;

/**
 * Watches the cables of HCAs. Each queue pair must number its requests consecutively, repeat only what it sent before, and acknowledge only what has
 * reached it. Message counts in acknowledgements must be those of messages that arrived once and in order.
 *
 * <p>The checker derives what an HCA may have accepted from the packets that reached it: a request packet counts if it is the next one. So the model
 * is an upper bound of what the HCA really took.
 */
public final class WireChecker {
  private record Arrival(long atNs, long sequence, Packet packet) {}

  private final Violations violations;
  private final IntFunction<HcaSnapshot> hcaOfLid;
  private final int pathMtu;
  /** By the queue pair that receives the requests. */
  private final Map<Long, WireFlow> flows = new HashMap<>();
  /** By sending LID and destination queue pair: the sender's queue pair. */
  private final Map<Long, Integer> senders = new HashMap<>();
  private final PriorityQueue<Arrival> underWay = new PriorityQueue<>(
      java.util.Comparator.comparingLong(Arrival::atNs).thenComparingLong(Arrival::sequence));
  private long sequence;

  /** A checker; {@code hcaOfLid} returns the state of the HCA with a LID, null if its node is dead. */
  public WireChecker(Violations violations, IntFunction<HcaSnapshot> hcaOfLid, int pathMtu) {
    this.violations = violations;
    this.hcaOfLid = hcaOfLid;
    this.pathMtu = pathMtu;
  }

  /** A packet on the cable of some node. */
  public void onPacket(boolean fromNode, Packet packet, LinkObserver.Fate fate, long nowNs, long arrivalNs) {
    settle(nowNs);
    if (!fromNode) {
      if (fate.arrives()) {
        underWay.add(new Arrival(arrivalNs, sequence++, packet));
      }
    } else if (Opcode.isRequest(packet.opcode())) {
      onRequestSent(packet);
    } else {
      onResponseSent(packet);
    }
  }

  /** Records the packets that have arrived by now. */
  public void settle(long nowNs) {
    while (!underWay.isEmpty() && underWay.peek().atNs() <= nowNs) {
      Packet packet = underWay.poll().packet();
      WireFlow flow = flows.get(key(packet.dstLid(), packet.destQp()));
      if (flow != null && Opcode.isRequest(packet.opcode())) {
        flow.arrived(packet);
      }
    }
  }

  private void onRequestSent(Packet packet) {
    WireFlow flow = flows.computeIfAbsent(key(packet.dstLid(), packet.destQp()), key -> new WireFlow(packet.psn(), pathMtu));
    String wrong = flow.sent(packet);
    if (wrong != null) {
      violations.add(packet + ": " + wrong);
    }
  }

  private void onResponseSent(Packet packet) {
    Integer sender = senderOf(packet);
    if (sender == null) {
      return; // Its queue pair is gone; its earlier messages were checked when they were sent.
    }
    WireFlow flow = flows.get(key(packet.srcLid(), sender));
    String wrong = flow == null ? "answers, but nobody asked" : flow.answered(packet, isPositive(packet));
    if (wrong != null) {
      violations.add(packet + ": " + wrong);
    }
  }

  private static boolean isPositive(Packet packet) {
    return packet.opcode() != Opcode.RC_ACKNOWLEDGE || Aeth.kind(packet.syndrome()) == Aeth.ACK;
  }

  /** The queue pair that sent a packet; packets name only their destination. */
  private Integer senderOf(Packet packet) {
    long key = key(packet.srcLid(), packet.dstLid()) << 24 | packet.destQp();
    Integer known = senders.get(key);
    if (known == null) {
      HcaSnapshot hca = hcaOfLid.apply(packet.srcLid());
      known = hca == null ? null : hca.queuePairs().stream()
          .filter(qp -> qp.destLid() == packet.dstLid() && qp.destQpNum() == packet.destQp()).map(HcaSnapshot.Qp::number)
          .findFirst().orElse(null);
      if (known != null) {
        senders.put(key, known);
      }
    }
    return known;
  }

  /** Checks a quiet fabric: each live queue pair has taken everything that was sent to it, and knows that its peer has, too. */
  public void checkQuiet(String node, HcaSnapshot hca) {
    for (HcaSnapshot.Qp qp : hca.queuePairs()) {
      WireFlow in = flows.get(key(hca.lid(), qp.number()));
      WireFlow out = flows.get(key(qp.destLid(), qp.destQpNum()));
      if (in != null && (!in.isComplete() || qp.expectedPsn() != in.nextPsn())) {
        violations.add(node + ": " + qp + " has not taken what was sent to it, up to PSN " + in.nextPsn());
      }
      if (out != null && qp.unackedPsn() != out.nextPsn()) {
        violations.add(node + ": " + qp + " does not know that everything up to PSN " + out.nextPsn() + " has arrived");
      }
    }
  }

  private static long key(int lid, int number) {
    return (long) lid << 24 | number;
  }
}

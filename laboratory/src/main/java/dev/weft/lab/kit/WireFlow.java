package dev.weft.lab.kit;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import java.util.Map;
import java.util.TreeMap;

/** The requests to one queue pair, as seen on the wire. PSNs are unwrapped. */
final class WireFlow {
  private static final int PSN_MASK = 0xffffff;

  /** A request packet when it was first sent. */
  private record Sent(int opcode, int length, long va, int rkey, int dmaLength, long psns, long messagesBefore, boolean ends) {}

  private final int pathMtu;
  private final int firstPsn;
  private final TreeMap<Long, Sent> sent = new TreeMap<>();
  /** The next unused number. */
  private long next;
  private long messagesSent;
  /** The next number that the receiver may accept. */
  private long expected;
  private long messagesArrived;

  WireFlow(int firstPsn, int pathMtu) {
    this.firstPsn = firstPsn;
    this.pathMtu = pathMtu;
  }

  private long unwrap(int psn) {
    int difference = (psn - nextPsn()) << 8 >> 8;
    return next + difference;
  }

  /** The next unused number as on the wire. */
  int nextPsn() {
    return (int) (firstPsn + next) & PSN_MASK;
  }

  boolean isComplete() {
    return expected == next;
  }

  /** A request packet was sent; returns what is wrong with it, or null. */
  String sent(Packet p) {
    long at = unwrap(p.psn());
    if (at > next) {
      return "leaves out " + (at - next) + " PSNs; the next must be " + nextPsn();
    }
    if (at < next) {
      return repeated(p, at);
    }
    long psns = p.opcode() == Opcode.RC_RDMA_READ_REQUEST ? Math.max(1, (p.dmaLength() + pathMtu - 1) / pathMtu) : 1;
    boolean ends = ends(p.opcode());
    sent.put(at, new Sent(p.opcode(), p.payload().length(), p.va(), p.rkey(), p.dmaLength(), psns, messagesSent, ends));
    messagesSent += ends ? 1 : 0;
    next += psns;
    return null;
  }

  private String repeated(Packet p, long at) {
    Map.Entry<Long, Sent> before = sent.floorEntry(at);
    if (before == null) {
      return "repeats a PSN that was never used";
    }
    Sent first = before.getValue();
    boolean isRead = first.opcode == Opcode.RC_RDMA_READ_REQUEST;
    boolean same = isRead ? p.opcode() == first.opcode && at < before.getKey() + first.psns && p.rkey() == first.rkey
        && p.va() - first.va == (at - before.getKey()) * pathMtu && p.va() + p.dmaLength() == first.va + first.dmaLength
        : at == before.getKey() && p.opcode() == first.opcode && p.payload().length() == first.length && p.va() == first.va
            && p.rkey() == first.rkey && p.dmaLength() == first.dmaLength;
    return same ? null : "is not what was sent with this PSN before: " + first;
  }

  private static boolean ends(int opcode) {
    return switch (opcode) {
      case Opcode.RC_SEND_FIRST, Opcode.RC_SEND_MIDDLE, Opcode.RC_RDMA_WRITE_FIRST, Opcode.RC_RDMA_WRITE_MIDDLE -> false;
      default -> true;
    };
  }

  /** A request packet reached the receiver, which may accept it if it is the next one. */
  void arrived(Packet p) {
    Sent packet = unwrap(p.psn()) == expected ? sent.get(expected) : null;
    if (packet != null) {
      expected += packet.psns;
      messagesArrived += packet.ends ? 1 : 0;
    }
  }

  /** The receiver answered; returns what is wrong with that, or null. */
  String answered(Packet p, boolean isPositive) {
    long at = unwrap(p.psn());
    if (at > expected || isPositive && at == expected) {
      return "answers a PSN that has not reached it; the next is " + ((firstPsn + expected) & PSN_MASK);
    }
    Map.Entry<Long, Sent> request = sent.floorEntry(at);
    if (request == null || !isPositive) {
      return null;
    }
    boolean isRead = request.getValue().opcode == Opcode.RC_RDMA_READ_REQUEST;
    if (Opcode.isReadResponse(p.opcode()) != isRead && Opcode.isReadResponse(p.opcode())) {
      return "answers " + Opcode.name(request.getValue().opcode) + " as if it were a read";
    }
    if (!Opcode.hasAeth(p.opcode())) {
      return null;
    }
    // The count may be ahead of the PSN, because it is that of the moment of sending.
    long least = request.getValue().messagesBefore + (request.getValue().ends ? 1 : 0);
    long lag = (messagesArrived - p.msn()) & PSN_MASK;
    return lag <= messagesArrived - least ? null
        : "counts " + p.msn() + " messages; " + least + " to " + messagesArrived + " can have come";
  }
}

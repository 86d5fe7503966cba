package dev.weft.hca.transport;

import dev.weft.fabric.packet.Aeth;

/**
 * The send limit of a requester whose peer gives credit for packets that may have to wait for pages (NetVM, abstract). Acknowledgements carry the
 * credit, in the five bits and the code of the specification's end-to-end credits (volume 1, table 46), but it counts packets. Peers without unpinned
 * memory send "credits not used". Used on the hardware thread only.
 */
final class SendCredit {
  private static final int CODE_MAX = 30;

  private boolean limited;
  /** The first PSN that must not be sent. */
  private int limit;

  void reset() {
    limited = false;
  }

  /** Returns the number of packets that a code represents: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on to 32768. */
  static int packets(int code) {
    if (code < 2) {
      return code;
    }
    return (code & 1) == 0 ? 1 << code / 2 : 3 << (code - 3) / 2;
  }

  /** Returns the highest code that represents at most {@code packets} packets. */
  static int code(int packets) {
    int code = 0;
    while (code < CODE_MAX && packets(code + 1) <= packets) {
      code++;
    }
    return code;
  }

  /** Handles the credit {@code code} in an acknowledgement of everything up to {@code psn}. Callers skip acknowledgements of older PSNs. */
  void onAck(int psn, int code) {
    if (code == Aeth.CREDIT_INVALID) {
      limited = false;
      return;
    }
    int now = Psn.add(psn, 1 + packets(code));
    if (!limited || code == 0 || Psn.diff(now, limit) > 0) {
      limit = now;
      limited = true;
    }
  }

  /** Handles the credit {@code code} in the response to a read or an atomic. Only raises the limit, because later packets may have used the credit. */
  void onAnswer(int psn, int code) {
    int now = Psn.add(psn, 1 + packets(code));
    if (code != Aeth.CREDIT_INVALID && limited && Psn.diff(now, limit) > 0) {
      limit = now;
    }
  }

  boolean allows(int psn) {
    return !limited || Psn.diff(psn, limit) < 0;
  }

  /** Whether this packet should request an acknowledgement, so that new credit arrives before the credit runs out. */
  boolean asksAt(int psn) {
    return limited && ((psn & 15) == 15 || Psn.diff(limit, psn) == 1);
  }

  /** Allows one packet without credit, which requests new credit, because the last credit may have been lost. */
  void probe(int psn) {
    limit = Psn.add(psn, 1);
  }
}

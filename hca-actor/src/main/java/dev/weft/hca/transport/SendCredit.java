package dev.weft.hca.transport;

import dev.weft.fabric.packet.Aeth;

/**
 * How far a requester may send where its peer gives credit for packets that may have to wait for pages (seed 004, abstract). The credit
 * comes with acknowledgements, in the five bits and the code of the specification's end-to-end credits (volume 1, table 46), but counts
 * packets. Peers without such memory send "credits not used". Confined to the hardware thread.
 */
final class SendCredit {
  private static final int CODE_MAX = 30;

  private boolean limited;
  /** First PSN that may not be sent. */
  private int limit;

  void reset() {
    limited = false;
  }

  /** Packets that a code stands for: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on to 32768. */
  static int packets(int code) {
    if (code < 2) {
      return code;
    }
    return (code & 1) == 0 ? 1 << code / 2 : 3 << (code - 3) / 2;
  }

  /** The highest code that stands for no more than {@code packets}. */
  static int code(int packets) {
    int code = 0;
    while (code < CODE_MAX && packets(code + 1) <= packets) {
      code++;
    }
    return code;
  }

  /** An acknowledgement of everything up to {@code psn} came with {@code code}; what came before it is not looked at. */
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

  /** The answer to a read or an atomic came with {@code code}; what was taken after it may have used some of that. */
  void onAnswer(int psn, int code) {
    int now = Psn.add(psn, 1 + packets(code));
    if (code != Aeth.CREDIT_INVALID && limited && Psn.diff(now, limit) > 0) {
      limit = now;
    }
  }

  boolean allows(int psn) {
    return !limited || Psn.diff(psn, limit) < 0;
  }

  /** Whether this packet should ask for an acknowledgement, so that credit comes before there is none left. */
  boolean asksAt(int psn) {
    return limited && ((psn & 15) == 15 || Psn.diff(limit, psn) == 1);
  }

  /** One packet may go without credit, to ask for it: what was said of it may have been lost. */
  void probe(int psn) {
    limit = Psn.add(psn, 1);
  }
}

package dev.weft.fabric.packet;

/**
 * The burst protocol (CLAN paper, section 2.2). The header of a burst says where its first byte goes, but not how many bytes follow. So a
 * switch can cut a packet at any byte, because the header of the second part follows from the first. It can also join packets that continue
 * each other. Address and position in the flow advance together, by one for each byte.
 */
public final class Bursts {
  private Bursts() {}

  /** Whether the payload is a burst, so that the packet may be cut. */
  public static boolean isBurst(Packet packet) {
    return packet.opcode() == Opcode.CLAN_WRITE || packet.opcode() == Opcode.CLAN_READ_DATA;
  }

  /** Returns how many positions a packet takes in its flow: one for each byte of a burst, one for any other packet. */
  public static int positions(Packet packet) {
    return isBurst(packet) ? packet.payload().length() : 1;
  }

  /**
   * Cuts a burst in two. Both parts must be released; the owner of the bytes is told once, at the second release. If the burst asks for an
   * answer, only the second part does.
   *
   * @param at bytes of the first part, from 1 to the length less 1
   * @return the two packets
   */
  public static Packet[] split(Packet burst, int at) {
    Payload all = burst.payload();
    if (at < 1 || at >= all.length() || !isBurst(burst)) {
      throw new IllegalArgumentException(burst + " cannot be cut at " + at);
    }
    Payload shared = all.sharedBy(2);
    Packet first = part(burst, 0, true, all.slice(0, at).ownedBy(shared::release));
    Packet second = part(burst, at, burst.solicited(), all.slice(at, all.length() - at).ownedBy(shared::release));
    return new Packet[] {first, burst.ackReq() ? second.askingForAnswer() : second};
  }

  private static Packet part(Packet of, int at, boolean more, Payload payload) {
    return Packet.burst(of.opcode(), of.srcLid(), of.dstLid(), of.serviceLevel(), of.destQp(), of.va() + at, of.compare(),
        of.immediate() + at, more, payload);
  }

  /**
   * Joins two packets that continue each other. Returns null if they do not, or if the result would be longer than {@code maxBytes}. The
   * result asks for an answer if either packet does; the answer says how many bytes the receiver has taken.
   */
  public static Packet coalesce(Packet first, Packet second, int maxBytes) {
    int length = first.payload().length();
    boolean continues = isBurst(first) && first.opcode() == second.opcode() && first.srcLid() == second.srcLid()
        && first.dstLid() == second.dstLid() && first.serviceLevel() == second.serviceLevel()
        && first.destQp() == second.destQp() && first.compare() == second.compare() && first.va() + length == second.va()
        && first.immediate() + length == second.immediate();
    if (!continues || length + second.payload().length() > maxBytes) {
      return null;
    }
    Packet joined = part(first, 0, second.solicited(), Payload.join(first.payload(), second.payload()));
    return first.ackReq() || second.ackReq() ? joined.askingForAnswer() : joined;
  }
}

package dev.weft.fabric.packet;

/**
 * The burst protocol of seed 003 section 2.2: the header of a burst says where its first byte goes and not how many follow, so a
 * packet can be cut at any byte, the second part getting a header that follows from the first, and neighbours can be made one again.
 * Address and position in the flow advance together, one for each byte.
 */
public final class Bursts {
  private Bursts() {}

  /** Whether the packet may be cut: its payload is a burst. */
  public static boolean isBurst(Packet packet) {
    return packet.opcode() == Opcode.CLAN_WRITE || packet.opcode() == Opcode.CLAN_READ_DATA;
  }

  /** Positions that a packet takes in its flow: one for each byte of a burst, one for anything else. */
  public static int positions(Packet packet) {
    return isBurst(packet) ? packet.payload().length() : 1;
  }

  /**
   * Cuts a burst. Both parts are released separately; the owner of the bytes is told once. If it asks for an answer, the second part does.
   *
   * @param at bytes of the first part, 1 to the length less 1
   * @return two packets
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
   * One packet for two that continue each other, or null if they do not, or would be longer than {@code maxBytes}. It asks for an answer if
   * either does: the answer says how much was taken.
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

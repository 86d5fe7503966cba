package dev.weft.fabric.packet;


/**
 * One transport packet on its way through the fabric. Fields that an opcode does not carry are zero. Immutable.
 *
 * <p>Values: LIDs 16 bits; {@code pkey} 16 bits; {@code destQp} and {@code psn} 24 bits; {@code serviceLevel} 0 to 15;
 * {@code padCount} is derived from the payload and not stored.
 *
 * @param opcode BTH opcode, see {@link Opcode}
 * @param srcLid local identifier of the sending HCA port
 * @param dstLid local identifier of the receiving HCA port
 * @param serviceLevel chooses the virtual lane
 * @param solicited BTH solicited event bit; in a burst, whether the same access continues in the next burst
 * @param ackReq BTH acknowledge request bit
 * @param pkey BTH partition key
 * @param destQp BTH destination queue pair number
 * @param psn BTH packet sequence number; 0 in a burst, whose place on the wire holds parity
 * @param va RETH or AtomicETH virtual address, network address of a burst
 * @param rkey RETH or AtomicETH remote key, IETH key to invalidate
 * @param dmaLength RETH length in bytes of the whole message
 * @param syndrome AETH syndrome, see {@link Aeth}
 * @param msn AETH message sequence number, 24 bits
 * @param immediate ImmDt, as the 32-bit value that the application gave; in a FLUSH, the FETH ({@link #FLUSH_GLOBAL} and so on); in a
 *     burst, the position in its flow
 * @param swapAdd AtomicETH swap or add operand; AtomicAckETH original value
 * @param compare AtomicETH compare operand; key of a burst
 * @param qkey DETH queue key
 * @param srcQp DETH source queue pair number, 24 bits
 * @param payload bytes carried, {@link Payload#EMPTY} where there are none
 */
public record Packet(
    int opcode,
    int srcLid,
    int dstLid,
    int serviceLevel,
    boolean solicited,
    boolean ackReq,
    int pkey,
    int destQp,
    int psn,
    long va,
    int rkey,
    int dmaLength,
    int syndrome,
    int msn,
    int immediate,
    long swapAdd,
    long compare,
    int qkey,
    int srcQp,
    Payload payload)
    implements CableMessage {

  /** Destination queue pair of all packets to a multicast group. */
  public static final int MULTICAST_QP = 0xffffff;

  /** Lowest and highest multicast LID (specification volume 1, section 4.1.3). */
  public static final int MULTICAST_LID_MIN = 0xc000;
  public static final int MULTICAST_LID_MAX = 0xfffe;

  /** FETH placement types, one or both: written data must become visible to everybody, or must survive a loss of power. */
  public static final int FLUSH_GLOBAL = 1;
  public static final int FLUSH_PERSISTENT = 2;
  /** FETH selectivity level: the whole region of the key instead of the range. */
  public static final int FLUSH_REGION = 0x10;
  /** Bits of a FETH that are not reserved. */
  public static final int FETH_MASK = 0x3f;

  private static final int GRH_LENGTH = 40;

  /** A packet without a DETH. */
  public Packet(int opcode, int srcLid, int dstLid, int serviceLevel, boolean solicited, boolean ackReq, int pkey, int destQp,
      int psn, long va, int rkey, int dmaLength, int syndrome, int msn, int immediate, long swapAdd, long compare,
      Payload payload) {
    this(opcode, srcLid, dstLid, serviceLevel, solicited, ackReq, pkey, destQp, psn, va, rkey, dmaLength, syndrome, msn,
        immediate, swapAdd, compare, 0, 0, payload);
  }

  /** Default partition key: full membership of the default partition. */
  public static final int DEFAULT_PKEY = 0xffff;

  /**
   * Makes a CLAN packet. {@code address}, {@code key} and {@code position} are its burst header; {@code port} is the endpoint or 0.
   * {@code more}, the solicited bit, says that the same access continues where this burst ends. The packet does not ask for an answer; see
   * {@link #askingForAnswer}.
   */
  public static Packet burst(int opcode, int srcLid, int dstLid, int serviceLevel, int port, long address, long key, int position,
      boolean more, Payload payload) {
    return new Packet(opcode, srcLid, dstLid, serviceLevel, more, false, DEFAULT_PKEY, port, 0, address, 0, 0, 0, 0, position, 0,
        key, 0, 0, payload);
  }

  public static boolean isMulticast(int lid) {
    return lid >= MULTICAST_LID_MIN && lid <= MULTICAST_LID_MAX;
  }

  public boolean isMulticast() {
    return isMulticast(dstLid);
  }

  /** Whether a link that is up lets the packet wait for a credit; see {@link Opcode#isLossless}. */
  public boolean isLossless() {
    return Opcode.isLossless(opcode);
  }

  /** Returns the same packet with the BTH acknowledge request bit set: the receiver answers what it has taken. */
  public Packet askingForAnswer() {
    return new Packet(opcode, srcLid, dstLid, serviceLevel, solicited, true, pkey, destQp, psn, va, rkey, dmaLength, syndrome, msn,
        immediate, swapAdd, compare, qkey, srcQp, payload);
  }

  /** Returns the same packet with another payload. */
  public Packet with(Payload other) {
    return new Packet(opcode, srcLid, dstLid, serviceLevel, solicited, ackReq, pkey, destQp, psn, va, rkey, dmaLength, syndrome,
        msn, immediate, swapAdd, compare, qkey, srcQp, other);
  }

  /** Gives the payload back to its owner. The element that takes the packet out of the fabric calls this once. */
  public void release() {
    payload.release();
  }

  /** Releases the payload. The credit that the sender has spent is lost until the link comes up again. */
  @Override
  public void rejected() {
    release();
  }

  /**
   * Returns the bytes on a native InfiniBand wire, without RoCEv2: LRH, GRH of multicast, BTH, extension headers, padded payload, ICRC and
   * VCRC. For a burst, returns the bytes on CLAN's own wire: burst header and words. There, parity travels with each word (CLAN paper,
   * section 2.2).
   */
  public int wireLength() {
    if (Opcode.isKnown(opcode) && Opcode.hasBurst(opcode)) {
      return Opcode.headerLength(opcode) - 12 + ((payload.length() + 3) & ~3);
    }
    return 8 + (isMulticast() ? GRH_LENGTH : 0) + Opcode.headerLength(opcode) + ((payload.length() + 3) & ~3) + 4 + 2;
  }

  @Override
  public String toString() {
    return "Packet[" + Opcode.name(opcode) + " " + srcLid + "->" + dstLid + " qp=" + destQp + " psn=" + psn
        + (ackReq ? " ackReq" : "")
        + (Opcode.isKnown(opcode) && Opcode.hasAeth(opcode) ? " syndrome=0x" + Integer.toHexString(syndrome) : "")
        + " len=" + payload.length() + "]";
  }
}

package dev.weft.fabric.packet;

import dev.weft.fabric.link.CableMessage;

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
 * @param solicited BTH solicited event bit
 * @param ackReq BTH acknowledge request bit
 * @param pkey BTH partition key
 * @param destQp BTH destination queue pair number
 * @param psn BTH packet sequence number
 * @param va RETH or AtomicETH virtual address
 * @param rkey RETH or AtomicETH remote key, IETH key to invalidate
 * @param dmaLength RETH length in bytes of the whole message
 * @param syndrome AETH syndrome, see {@link Aeth}
 * @param msn AETH message sequence number, 24 bits
 * @param immediate ImmDt, as the 32-bit value that the application gave
 * @param swapAdd AtomicETH swap or add operand; AtomicAckETH original value
 * @param compare AtomicETH compare operand
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
    Payload payload)
    implements CableMessage {

  /** Default partition key: full membership of the default partition. */
  public static final int DEFAULT_PKEY = 0xffff;

  /** Gives the payload back to its owner; called once by whoever takes the packet out of the fabric. */
  public void release() {
    payload.release();
  }

  /** Bytes on an RoCEv2-less InfiniBand wire: LRH, BTH, extension headers, padded payload, ICRC and VCRC. */
  public int wireLength() {
    return 8 + Opcode.headerLength(opcode) + ((payload.length() + 3) & ~3) + 4 + 2;
  }

  @Override
  public String toString() {
    return "Packet[" + Opcode.name(opcode) + " " + srcLid + "->" + dstLid + " qp=" + destQp + " psn=" + psn
        + (ackReq ? " ackReq" : "")
        + (Opcode.isKnown(opcode) && Opcode.hasAeth(opcode) ? " syndrome=0x" + Integer.toHexString(syndrome) : "")
        + " len=" + payload.length() + "]";
  }
}

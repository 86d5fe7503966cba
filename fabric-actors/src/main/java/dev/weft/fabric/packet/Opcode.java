package dev.weft.fabric.packet;

/**
 * BTH opcodes of the reliable connected, unreliable connected and unreliable datagram services, and of CLAN bursts. CLAN uses the
 * range that the specification leaves to manufacturers (0xc0 to 0xff). The other constants are the specification's values
 * (volume 1, table 38). They are ints because code switches on them for every packet. The upper three bits are the service, the
 * lower five the operation. An operation has the same number in all services that have it.
 */
public final class Opcode {
  public static final int RC_SEND_FIRST = 0x00;
  public static final int RC_SEND_MIDDLE = 0x01;
  public static final int RC_SEND_LAST = 0x02;
  public static final int RC_SEND_LAST_WITH_IMM = 0x03;
  public static final int RC_SEND_ONLY = 0x04;
  public static final int RC_SEND_ONLY_WITH_IMM = 0x05;
  public static final int RC_RDMA_WRITE_FIRST = 0x06;
  public static final int RC_RDMA_WRITE_MIDDLE = 0x07;
  public static final int RC_RDMA_WRITE_LAST = 0x08;
  public static final int RC_RDMA_WRITE_LAST_WITH_IMM = 0x09;
  public static final int RC_RDMA_WRITE_ONLY = 0x0a;
  public static final int RC_RDMA_WRITE_ONLY_WITH_IMM = 0x0b;
  public static final int RC_RDMA_READ_REQUEST = 0x0c;
  public static final int RC_RDMA_READ_RESPONSE_FIRST = 0x0d;
  public static final int RC_RDMA_READ_RESPONSE_MIDDLE = 0x0e;
  public static final int RC_RDMA_READ_RESPONSE_LAST = 0x0f;
  public static final int RC_RDMA_READ_RESPONSE_ONLY = 0x10;
  public static final int RC_ACKNOWLEDGE = 0x11;
  public static final int RC_ATOMIC_ACKNOWLEDGE = 0x12;
  public static final int RC_CMP_SWAP = 0x13;
  public static final int RC_FETCH_ADD = 0x14;
  public static final int RC_SEND_LAST_WITH_INV = 0x16;
  public static final int RC_SEND_ONLY_WITH_INV = 0x17;
  /** This and the next opcode are from annex A19 of the specification. */
  public static final int RC_FLUSH = 0x1c;
  public static final int RC_ATOMIC_WRITE = 0x1d;
  public static final int UC_SEND_FIRST = 0x20;
  public static final int UC_SEND_MIDDLE = 0x21;
  public static final int UC_SEND_LAST = 0x22;
  public static final int UC_SEND_LAST_WITH_IMM = 0x23;
  public static final int UC_SEND_ONLY = 0x24;
  public static final int UC_SEND_ONLY_WITH_IMM = 0x25;
  public static final int UC_RDMA_WRITE_FIRST = 0x26;
  public static final int UC_RDMA_WRITE_MIDDLE = 0x27;
  public static final int UC_RDMA_WRITE_LAST = 0x28;
  public static final int UC_RDMA_WRITE_LAST_WITH_IMM = 0x29;
  public static final int UC_RDMA_WRITE_ONLY = 0x2a;
  public static final int UC_RDMA_WRITE_ONLY_WITH_IMM = 0x2b;
  public static final int UD_SEND_ONLY = 0x64;
  public static final int UD_SEND_ONLY_WITH_IMM = 0x65;
  /** A write burst (CLAN paper, section 2.2): the data follows its address. The end of the packet gives the length. */
  public static final int CLAN_WRITE = 0xc0;
  /** A read: asks for a burst. The payload says how many bytes, and where the answer goes. */
  public static final int CLAN_READ = 0xc1;
  /** The answer to a read, itself a burst. */
  public static final int CLAN_READ_DATA = 0xc2;
  /** An out-of-band message of an endpoint. */
  public static final int CLAN_MESSAGE = 0xc3;
  /** The receiver did not accept a burst. */
  public static final int CLAN_REFUSED = 0xc4;
  /** The first packet of a flow. */
  public static final int CLAN_OPEN = 0xc5;

  /** Results of {@link #service}. */
  public static final int SERVICE_RC = 0;
  public static final int SERVICE_UC = 1;
  public static final int SERVICE_UD = 3;
  public static final int SERVICE_CLAN = 6;

  private static final int HAS_RETH = 1;
  private static final int HAS_AETH = 2;
  private static final int HAS_IMM = 4;
  private static final int HAS_ATOMIC = 8;
  private static final int HAS_ATOMIC_ACK = 16;
  private static final int HAS_PAYLOAD = 32;
  private static final int HAS_IETH = 64;
  private static final int HAS_DETH = 128;
  private static final int HAS_FETH = 256;
  private static final int HAS_BURST = 512;
  private static final int LIMIT = 0x100;
  private static final short[] TRAITS = new short[LIMIT];
  private static final byte[] HEADER_LENGTHS = new byte[LIMIT];
  private static final String[] NAMES = new String[LIMIT];

  static {
    trait(RC_SEND_FIRST, "SEND_FIRST", HAS_PAYLOAD);
    trait(RC_SEND_MIDDLE, "SEND_MIDDLE", HAS_PAYLOAD);
    trait(RC_SEND_LAST, "SEND_LAST", HAS_PAYLOAD);
    trait(RC_SEND_LAST_WITH_IMM, "SEND_LAST_WITH_IMM", HAS_PAYLOAD | HAS_IMM);
    trait(RC_SEND_ONLY, "SEND_ONLY", HAS_PAYLOAD);
    trait(RC_SEND_ONLY_WITH_IMM, "SEND_ONLY_WITH_IMM", HAS_PAYLOAD | HAS_IMM);
    trait(RC_RDMA_WRITE_FIRST, "RDMA_WRITE_FIRST", HAS_PAYLOAD | HAS_RETH);
    trait(RC_RDMA_WRITE_MIDDLE, "RDMA_WRITE_MIDDLE", HAS_PAYLOAD);
    trait(RC_RDMA_WRITE_LAST, "RDMA_WRITE_LAST", HAS_PAYLOAD);
    trait(RC_RDMA_WRITE_LAST_WITH_IMM, "RDMA_WRITE_LAST_WITH_IMM", HAS_PAYLOAD | HAS_IMM);
    trait(RC_RDMA_WRITE_ONLY, "RDMA_WRITE_ONLY", HAS_PAYLOAD | HAS_RETH);
    trait(RC_RDMA_WRITE_ONLY_WITH_IMM, "RDMA_WRITE_ONLY_WITH_IMM", HAS_PAYLOAD | HAS_RETH | HAS_IMM);
    trait(RC_RDMA_READ_REQUEST, "RDMA_READ_REQUEST", HAS_RETH);
    trait(RC_RDMA_READ_RESPONSE_FIRST, "RDMA_READ_RESPONSE_FIRST", HAS_PAYLOAD | HAS_AETH);
    trait(RC_RDMA_READ_RESPONSE_MIDDLE, "RDMA_READ_RESPONSE_MIDDLE", HAS_PAYLOAD);
    trait(RC_RDMA_READ_RESPONSE_LAST, "RDMA_READ_RESPONSE_LAST", HAS_PAYLOAD | HAS_AETH);
    trait(RC_RDMA_READ_RESPONSE_ONLY, "RDMA_READ_RESPONSE_ONLY", HAS_PAYLOAD | HAS_AETH);
    trait(RC_ACKNOWLEDGE, "ACKNOWLEDGE", HAS_AETH);
    trait(RC_ATOMIC_ACKNOWLEDGE, "ATOMIC_ACKNOWLEDGE", HAS_AETH | HAS_ATOMIC_ACK);
    trait(RC_CMP_SWAP, "CMP_SWAP", HAS_ATOMIC);
    trait(RC_FETCH_ADD, "FETCH_ADD", HAS_ATOMIC);
    trait(RC_SEND_LAST_WITH_INV, "SEND_LAST_WITH_INVALIDATE", HAS_PAYLOAD | HAS_IETH);
    trait(RC_SEND_ONLY_WITH_INV, "SEND_ONLY_WITH_INVALIDATE", HAS_PAYLOAD | HAS_IETH);
    trait(RC_FLUSH, "FLUSH", HAS_FETH | HAS_RETH);
    trait(RC_ATOMIC_WRITE, "ATOMIC_WRITE", HAS_PAYLOAD | HAS_RETH);
    for (int operation = RC_SEND_FIRST; operation <= RC_RDMA_WRITE_ONLY_WITH_IMM; operation++) {
      trait(UC_SEND_FIRST + operation, "UC_" + NAMES[operation], TRAITS[operation]);
    }
    trait(UD_SEND_ONLY, "UD_SEND_ONLY", HAS_PAYLOAD | HAS_DETH);
    trait(UD_SEND_ONLY_WITH_IMM, "UD_SEND_ONLY_WITH_IMM", HAS_PAYLOAD | HAS_DETH | HAS_IMM);
    trait(CLAN_WRITE, "CLAN_WRITE", HAS_PAYLOAD | HAS_BURST);
    trait(CLAN_READ, "CLAN_READ", HAS_PAYLOAD | HAS_BURST);
    trait(CLAN_READ_DATA, "CLAN_READ_DATA", HAS_PAYLOAD | HAS_BURST);
    trait(CLAN_MESSAGE, "CLAN_MESSAGE", HAS_PAYLOAD | HAS_BURST);
    trait(CLAN_REFUSED, "CLAN_REFUSED", HAS_BURST);
    trait(CLAN_OPEN, "CLAN_OPEN", HAS_BURST);
  }

  private Opcode() {}

  private static void trait(int opcode, String name, int traits) {
    TRAITS[opcode] = (short) traits;
    NAMES[opcode] = name;
    HEADER_LENGTHS[opcode] = (byte) (12 + ((traits & HAS_RETH) != 0 ? 16 : 0) + ((traits & HAS_AETH) != 0 ? 4 : 0)
        + ((traits & HAS_IMM) != 0 ? 4 : 0) + ((traits & HAS_IETH) != 0 ? 4 : 0) + ((traits & HAS_ATOMIC) != 0 ? 28 : 0)
        + ((traits & HAS_ATOMIC_ACK) != 0 ? 8 : 0) + ((traits & HAS_DETH) != 0 ? 8 : 0)
        + ((traits & HAS_FETH) != 0 ? 4 : 0) + ((traits & HAS_BURST) != 0 ? 20 : 0));
  }

  /** Whether the opcode is one of the values above. The codec rejects all others, and an HCA drops them. */
  public static boolean isKnown(int opcode) {
    return opcode >= 0 && opcode < LIMIT && HEADER_LENGTHS[opcode] != 0;
  }

  /** Returns {@link #SERVICE_RC}, {@link #SERVICE_UC}, {@link #SERVICE_UD} or {@link #SERVICE_CLAN}. */
  public static int service(int opcode) {
    return opcode >>> 5;
  }

  public static boolean hasReth(int opcode) {
    return (TRAITS[opcode] & HAS_RETH) != 0;
  }

  public static boolean hasAeth(int opcode) {
    return (TRAITS[opcode] & HAS_AETH) != 0;
  }

  public static boolean hasImmDt(int opcode) {
    return (TRAITS[opcode] & HAS_IMM) != 0;
  }

  /** Whether an IETH follows: the key that the receiver invalidates. */
  public static boolean hasIeth(int opcode) {
    return (TRAITS[opcode] & HAS_IETH) != 0;
  }

  /** Whether a FETH comes before the RETH. It says what to flush, and how far; see {@link Packet#FLUSH_GLOBAL}. */
  public static boolean hasFeth(int opcode) {
    return (TRAITS[opcode] & HAS_FETH) != 0;
  }

  public static boolean hasAtomicEth(int opcode) {
    return (TRAITS[opcode] & HAS_ATOMIC) != 0;
  }

  public static boolean hasAtomicAckEth(int opcode) {
    return (TRAITS[opcode] & HAS_ATOMIC_ACK) != 0;
  }

  public static boolean hasDeth(int opcode) {
    return (TRAITS[opcode] & HAS_DETH) != 0;
  }

  /**
   * Whether a link that is up must let the packet wait for a credit and not discard it. Nothing retransmits on CLAN's network, which
   * is lossless through flow control (CLAN paper, section 2.2).
   */
  public static boolean isLossless(int opcode) {
    return hasBurst(opcode);
  }

  /** Whether a burst header follows: network address, key and position in the flow. */
  public static boolean hasBurst(int opcode) {
    return (TRAITS[opcode] & HAS_BURST) != 0;
  }

  public static boolean hasPayload(int opcode) {
    return (TRAITS[opcode] & HAS_PAYLOAD) != 0;
  }

  /** Returns the bytes of the BTH and of the extension headers that follow it. */
  public static int headerLength(int opcode) {
    return HEADER_LENGTHS[opcode];
  }

  /** Whether the packet is a request, which travels from requester to responder. All others are responses. */
  public static boolean isRequest(int opcode) {
    return opcode <= RC_RDMA_READ_REQUEST || opcode >= RC_CMP_SWAP;
  }

  public static boolean isReadResponse(int opcode) {
    return opcode >= RC_RDMA_READ_RESPONSE_FIRST && opcode <= RC_RDMA_READ_RESPONSE_ONLY;
  }

  /** Returns the specification's name, without the service prefix of RC; for inspection and traces. */
  public static String name(int opcode) {
    return isKnown(opcode) ? NAMES[opcode] : "UNKNOWN_0x" + Integer.toHexString(opcode);
  }
}

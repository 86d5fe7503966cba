package dev.weft.fabric.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.weft.fabric.packet.PacketFormatException.Reason;
import java.lang.foreign.MemorySegment;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Encodes and decodes the wire form of a packet: BTH, extension headers, payload, pad to a multiple of four, ICRC. All is
 * big endian except the ICRC (specification volume 1, chapter 9; for the ICRC see {@link Icrc}). LIDs and service level
 * are not part of the wire form: a trunk carries them beside it.
 *
 * <p>The form is canonical: {@link #decode} accepts only what {@link #encode} writes, bit for bit. So the migration bit is
 * one; congestion bits, reserved bits and pad are zero. The codec does not check for errors that the specification answers
 * with a NAK, such as a length that does not fit the path MTU or the RETH, or an opcode out of sequence. The HCA does.
 *
 * <p>Encoding copies the payload once, directly into the target. Decoding does not copy it: the packet refers to the
 * buffer in place. Only the packet and its payload are allocated. Not thread-safe: use one codec per thread. A codec works
 * with any buffer, on the heap or native.
 */
public final class PacketCodec {
  public static final int BTH_LENGTH = 12;

  /** Largest payload in bytes: the largest path MTU of the fabric. */
  public static final int MAX_PAYLOAD_LENGTH = 65_536;

  /** Smallest wire form in bytes: a BTH and an ICRC. */
  public static final int MIN_LENGTH = BTH_LENGTH + Icrc.LENGTH;

  /** All native memory, so that a packet needs no segment of its own. Ranges are checked against the Agrona buffer. */
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final int SOLICITED = 0x80_0000;
  private static final int MIGRATED = 0x40_0000;
  private static final int PAD_SHIFT = 20;
  private static final int VERSION_MASK = 0x0f_0000;
  private static final int ACK_REQUEST = 0x8000_0000;
  private static final int LOW_24 = 0xff_ffff;

  private final Icrc icrc = new Icrc();
  private final CopyCounter copies;
  private byte[] heapArray = BufferUtil.NULL_BYTES;
  private MemorySegment heapSegment = MemorySegment.ofArray(heapArray);

  /** Makes a codec for callers that do not count copies. */
  public PacketCodec() {
    this(new CopyCounter());
  }

  /** @param copies counts the bytes of payload that {@link #encode} copies */
  public PacketCodec(CopyCounter copies) {
    this.copies = copies;
  }

  /** Returns the bytes that {@link #encode} will write, with the ICRC. */
  public int encodedLength(Packet packet) {
    return Opcode.headerLength(packet.opcode()) + ((packet.payload().length() + 3) & ~3) + Icrc.LENGTH;
  }

  /**
   * Writes a packet.
   *
   * @param target has room for {@link #encodedLength} bytes from {@code offset}, or is expandable
   * @param withIcrc whether the ICRC is computed; its four bytes are zero otherwise
   * @return bytes written, {@link #encodedLength}
   * @throws IllegalArgumentException if a field does not fit its place on the wire
   * @throws IndexOutOfBoundsException if the target is too short
   * @throws IllegalStateException if the payload's owner has freed it
   * @throws PayloadLostException if the payload cannot be read any more; see {@link Payload#copyTo}
   */
  public int encode(Packet packet, MutableDirectBuffer target, int offset, boolean withIcrc) {
    checkFields(packet);
    int opcode = packet.opcode();
    int payloadLength = packet.payload().length();
    int pad = -payloadLength & 3;
    int length = encodedLength(packet);
    checkRange(target, offset, length, target.isExpandable());
    target.checkLimit(offset + length);
    target.putInt(offset, opcode << 24 | (packet.solicited() ? SOLICITED : 0) | MIGRATED | pad << PAD_SHIFT
        | packet.pkey(), BIG_ENDIAN);
    target.putInt(offset + 4, packet.destQp(), BIG_ENDIAN);
    target.putInt(offset + 8, (packet.ackReq() ? ACK_REQUEST : 0) | packet.psn(), BIG_ENDIAN);
    int at = offset + BTH_LENGTH;
    if (at < offset + Opcode.headerLength(opcode)) {
      at = encodeExtensions(packet, target, at);
    }
    if (payloadLength != 0) {
      copyPayload(packet.payload(), target, at);
      at += payloadLength;
    }
    for (int i = 0; i < pad; i++) {
      target.putByte(at++, (byte) 0);
    }
    if (withIcrc && Opcode.hasBurst(opcode)) {
      target.putInt(offset + 8, (packet.ackReq() ? ACK_REQUEST : 0) | parity(target, offset + BTH_LENGTH, at), BIG_ENDIAN);
    }
    int crc = withIcrc
        ? icrc.ofTransport(target, offset, at - offset, packet.srcLid(), packet.dstLid(), packet.destQp())
        : 0;
    target.putInt(at, crc, LITTLE_ENDIAN);
    return length;
  }

  private static int encodeExtensions(Packet packet, MutableDirectBuffer target, int offset) {
    int opcode = packet.opcode();
    int at = offset;
    if (Opcode.hasDeth(opcode)) {
      target.putInt(at, packet.qkey(), BIG_ENDIAN);
      target.putInt(at + 4, packet.srcQp(), BIG_ENDIAN);
      at += 8;
    }
    if (Opcode.hasFeth(opcode)) {
      target.putInt(at, packet.immediate(), BIG_ENDIAN);
      at += 4;
    }
    if (Opcode.hasReth(opcode)) {
      target.putLong(at, packet.va(), BIG_ENDIAN);
      target.putInt(at + 8, packet.rkey(), BIG_ENDIAN);
      target.putInt(at + 12, packet.dmaLength(), BIG_ENDIAN);
      at += 16;
    }
    if (Opcode.hasAtomicEth(opcode)) {
      target.putLong(at, packet.va(), BIG_ENDIAN);
      target.putInt(at + 8, packet.rkey(), BIG_ENDIAN);
      target.putLong(at + 12, packet.swapAdd(), BIG_ENDIAN);
      target.putLong(at + 20, packet.compare(), BIG_ENDIAN);
      at += 28;
    }
    if (Opcode.hasBurst(opcode)) {
      target.putLong(at, packet.va(), BIG_ENDIAN);
      target.putLong(at + 8, packet.compare(), BIG_ENDIAN);
      target.putInt(at + 16, packet.immediate(), BIG_ENDIAN);
      at += 20;
    }
    if (Opcode.hasAeth(opcode)) {
      target.putInt(at, packet.syndrome() << 24 | packet.msn(), BIG_ENDIAN);
      at += 4;
    }
    if (Opcode.hasAtomicAckEth(opcode)) {
      target.putLong(at, packet.swapAdd(), BIG_ENDIAN);
      at += 8;
    }
    if (Opcode.hasImmDt(opcode)) {
      target.putInt(at, packet.immediate(), BIG_ENDIAN);
      at += 4;
    }
    if (Opcode.hasIeth(opcode)) {
      target.putInt(at, packet.rkey(), BIG_ENDIAN);
      at += 4;
    }
    return at;
  }

  private void copyPayload(Payload payload, MutableDirectBuffer target, int at) {
    byte[] array = target.byteArray();
    long address = target.addressOffset() + at;
    if (array == null) {
      payload.copyTo(MEMORY, address, copies);
    } else {
      payload.copyTo(segmentOf(array), address - BufferUtil.ARRAY_BASE_OFFSET, copies);
    }
  }

  /**
   * Reads a packet. Its payload refers to {@code source} in place, so the bytes stay as they are until the packet is
   * released.
   *
   * @param offset index of the BTH
   * @param length bytes from BTH to ICRC, both included
   * @param checkIcrc whether a wrong ICRC is rejected; if false, its four bytes are not read
   * @param onRelease run by {@link Packet#release()}, also if there is no payload; null for none. Not run if this
   *     method throws: the caller then still owns the bytes
   * @throws PacketFormatException if the bytes are not a packet; no bytes cause another exception
   * @throws IndexOutOfBoundsException if the range is not inside {@code source}
   */
  public Packet decode(
      DirectBuffer source, int offset, int length, int srcLid, int dstLid, int serviceLevel, boolean checkIcrc,
      Runnable onRelease) {
    checkRange(source, offset, length, false);
    if (length < MIN_LENGTH || (length & 3) != 0) {
      throw badLength(length);
    }
    int word0 = source.getInt(offset, BIG_ENDIAN);
    int word1 = source.getInt(offset + 4, BIG_ENDIAN);
    int word2 = source.getInt(offset + 8, BIG_ENDIAN);
    int opcode = word0 >>> 24;
    checkBth(opcode, word0, word1, word2);
    int headerLength = Opcode.headerLength(opcode);
    int padded = length - headerLength - Icrc.LENGTH;
    int pad = word0 >>> PAD_SHIFT & 3;
    int end = offset + length - Icrc.LENGTH;
    checkBody(source, opcode, length, padded, pad, end);
    if (checkIcrc) {
      checkIcrc(source, offset, end, srcLid, dstLid, word1);
    }
    if (Opcode.hasBurst(opcode)) {
      return decodeBurst(source, offset, end, srcLid, dstLid, serviceLevel, pad, checkIcrc, onRelease);
    }
    long va = 0;
    long swapAdd = 0;
    long compare = 0;
    int rkey = 0;
    int dmaLength = 0;
    int aeth = 0;
    int immediate = 0;
    int qkey = 0;
    int srcQp = 0;
    int at = offset + BTH_LENGTH;
    if (Opcode.hasDeth(opcode)) {
      qkey = source.getInt(at, BIG_ENDIAN);
      srcQp = checkDeth(source.getInt(at + 4, BIG_ENDIAN));
      at += 8;
    }
    if (Opcode.hasFeth(opcode)) {
      immediate = checkFeth(source.getInt(at, BIG_ENDIAN));
      at += 4;
    }
    if (Opcode.hasReth(opcode)) {
      va = source.getLong(at, BIG_ENDIAN);
      rkey = source.getInt(at + 8, BIG_ENDIAN);
      dmaLength = source.getInt(at + 12, BIG_ENDIAN);
      at += 16;
    }
    if (Opcode.hasAtomicEth(opcode)) {
      va = source.getLong(at, BIG_ENDIAN);
      rkey = source.getInt(at + 8, BIG_ENDIAN);
      swapAdd = source.getLong(at + 12, BIG_ENDIAN);
      compare = source.getLong(at + 20, BIG_ENDIAN);
      at += 28;
    }
    if (Opcode.hasAeth(opcode)) {
      aeth = source.getInt(at, BIG_ENDIAN);
      at += 4;
    }
    if (Opcode.hasAtomicAckEth(opcode)) {
      swapAdd = source.getLong(at, BIG_ENDIAN);
      at += 8;
    }
    if (Opcode.hasImmDt(opcode)) {
      immediate = source.getInt(at, BIG_ENDIAN);
      at += 4;
    }
    if (Opcode.hasIeth(opcode)) {
      rkey = source.getInt(at, BIG_ENDIAN);
      at += 4;
    }
    Payload payload = payload(source, at, padded - pad, onRelease);
    return new Packet(opcode, srcLid, dstLid, serviceLevel, (word0 & SOLICITED) != 0, (word2 & ACK_REQUEST) != 0,
        word0 & 0xffff, word1, word2 & LOW_24, va, rkey, dmaLength, aeth >>> 24, aeth & LOW_24, immediate, swapAdd,
        compare, qkey, srcQp, payload);
  }

  /** The place of the PSN holds parity. Like the ICRC, it is zero if it was not computed. */
  private Packet decodeBurst(DirectBuffer source, int offset, int end, int srcLid, int dstLid, int serviceLevel, int pad,
      boolean checkParity, Runnable onRelease) {
    int opcode = source.getByte(offset) & 0xff;
    int word2 = source.getInt(offset + 8, BIG_ENDIAN);
    int at = offset + BTH_LENGTH;
    int want = checkParity ? parity(source, at, end) : 0;
    if (checkParity && (word2 & LOW_24) != want) {
      throw new PacketFormatException(Reason.PARITY, Opcode.name(opcode) + " with parity 0x" + Integer.toHexString(word2 & LOW_24)
          + ", want 0x" + Integer.toHexString(want));
    }
    int word0 = source.getInt(offset, BIG_ENDIAN);
    Payload payload = payload(source, at + 20, end - pad - at - 20, onRelease);
    return new Packet(opcode, srcLid, dstLid, serviceLevel, (word0 & SOLICITED) != 0, (word2 & ACK_REQUEST) != 0, word0 & 0xffff,
        source.getInt(offset + 4, BIG_ENDIAN), 0, source.getLong(at, BIG_ENDIAN), 0, 0, 0, 0, source.getInt(at + 16, BIG_ENDIAN), 0,
        source.getLong(at + 8, BIG_ENDIAN), 0, 0, payload);
  }

  /** Returns one bit for each of 24 columns of the words from burst header to pad. It detects any single flipped bit (CLAN paper, section 2.2). */
  private static int parity(DirectBuffer buffer, int from, int to) {
    int columns = 0;
    for (int at = from; at < to; at += 4) {
      columns ^= buffer.getInt(at, BIG_ENDIAN);
    }
    return (columns ^ columns >>> 24) & LOW_24;
  }

  private Payload payload(DirectBuffer source, int at, int length, Runnable onRelease) {
    if (length == 0) {
      return onRelease == null ? Payload.EMPTY : Payload.of(MemorySegment.NULL, 0, 0, onRelease);
    }
    byte[] array = source.byteArray();
    long address = source.addressOffset() + at;
    return array == null
        ? Payload.of(MEMORY, address, length, onRelease)
        : Payload.of(segmentOf(array), address - BufferUtil.ARRAY_BASE_OFFSET, length, onRelease);
  }

  /** Returns the segment of a heap array, and makes a new one only if the array differs from that of the last call. */
  private MemorySegment segmentOf(byte[] array) {
    if (heapArray != array) {
      heapSegment = MemorySegment.ofArray(array);
      heapArray = array;
    }
    return heapSegment;
  }

  private static void checkBth(int opcode, int word0, int word1, int word2) {
    if (!Opcode.isKnown(opcode)) {
      throw new PacketFormatException(Reason.OPCODE, "BTH opcode 0x" + Integer.toHexString(opcode)
          + " is unknown, want RC 0x00 to 0x17 but 0x15, 0x1c and 0x1d, UC 0x20 to 0x2b, UD 0x64 and 0x65 or CLAN 0xc0 to 0xc5");
    }
    if ((word0 & VERSION_MASK) != 0) {
      throw new PacketFormatException(Reason.VERSION,
          "BTH transport header version " + (word0 >>> 16 & 0xf) + ", want 0");
    }
    if ((word0 & MIGRATED) == 0 || word1 >>> 24 != 0 || (word2 >>> 24 & 0x7f) != 0) {
      throw new PacketFormatException(Reason.RESERVED, "BTH bits: migrated=" + (word0 >>> 22 & 1) + " congestion=0x"
          + Integer.toHexString(word1 >>> 24) + " reserved=0x" + Integer.toHexString(word2 >>> 24 & 0x7f)
          + ", want 1, 0x0 and 0x0");
    }
  }

  private static int checkDeth(int word) {
    if (word >>> 24 != 0) {
      throw new PacketFormatException(Reason.RESERVED,
          "DETH reserved byte 0x" + Integer.toHexString(word >>> 24) + ", want 0x0");
    }
    return word;
  }

  private static int checkFeth(int word) {
    if ((word & ~Packet.FETH_MASK) != 0) {
      throw new PacketFormatException(Reason.RESERVED, "FETH 0x" + Integer.toHexString(word) + ", want its upper 26 bits zero");
    }
    return word;
  }

  private static void checkBody(DirectBuffer source, int opcode, int length, int padded, int pad, int end) {
    if (padded < 0) {
      throw new PacketFormatException(Reason.LENGTH, Opcode.name(opcode) + " of " + length + " bytes, must be at least "
          + (Opcode.headerLength(opcode) + Icrc.LENGTH) + " for its headers and ICRC");
    }
    if (pad > padded) {
      throw new PacketFormatException(Reason.PAD,
          "BTH pad count " + pad + " in " + Opcode.name(opcode) + " with no payload, want 0");
    }
    if (padded != 0 && !Opcode.hasPayload(opcode)) {
      throw new PacketFormatException(Reason.PAYLOAD,
          Opcode.name(opcode) + " with " + padded + " bytes of payload, want none");
    }
    if (padded - pad > MAX_PAYLOAD_LENGTH) {
      throw new PacketFormatException(Reason.TOO_LONG,
          "payload of " + (padded - pad) + " bytes, want at most " + MAX_PAYLOAD_LENGTH);
    }
    for (int i = end - pad; i < end; i++) {
      if (source.getByte(i) != 0) {
        throw new PacketFormatException(Reason.PAD,
            "pad byte 0x" + Integer.toHexString(source.getByte(i) & 0xff) + ", want 0x0");
      }
    }
  }

  private void checkIcrc(DirectBuffer source, int offset, int end, int srcLid, int dstLid, int destQp) {
    int found = source.getInt(end, LITTLE_ENDIAN);
    int want = icrc.ofTransport(source, offset, end - offset, srcLid, dstLid, destQp);
    if (found != want) {
      throw new PacketFormatException(Reason.ICRC, "ICRC 0x" + Integer.toHexString(found) + ", want 0x"
          + Integer.toHexString(want) + " for LIDs " + srcLid + "->" + dstLid);
    }
  }

  private static PacketFormatException badLength(int length) {
    return new PacketFormatException(Reason.LENGTH,
        "packet of " + length + " bytes, want a multiple of 4 and at least " + MIN_LENGTH);
  }

  /** The buffer's own checks are not enough: Agrona's can be switched off, and {@link #MEMORY} has no end. */
  private static void checkRange(DirectBuffer buffer, int offset, int length, boolean expandable) {
    if (offset < 0 || length < 0 || (!expandable && length > buffer.capacity() - offset)) {
      throw new IndexOutOfBoundsException(
          "offset=" + offset + " length=" + length + " of a buffer of " + buffer.capacity() + " bytes");
    }
  }

  private static void checkFields(Packet packet) {
    int opcode = packet.opcode();
    if (!Opcode.isKnown(opcode)
        || (packet.destQp() | packet.psn() | packet.msn() | packet.srcQp()) >>> 24 != 0
        || packet.pkey() >>> 16 != 0
        || (Opcode.hasBurst(opcode) && packet.psn() != 0)
        || packet.syndrome() >>> 8 != 0
        || (Opcode.hasFeth(opcode) && (packet.immediate() & ~Packet.FETH_MASK) != 0)
        || packet.payload().length() > (Opcode.hasPayload(opcode) ? MAX_PAYLOAD_LENGTH : 0)) {
      throw new IllegalArgumentException(packet + " pkey=" + packet.pkey() + " msn=" + packet.msn()
          + ": want a known opcode, 24 bits of QP, PSN and MSN, 16 bits of P_Key, no PSN in a burst, 8 bits of syndrome, 6 of FETH and,"
          + " where the opcode has a payload, at most " + MAX_PAYLOAD_LENGTH + " bytes");
    }
  }
}

package dev.weft.fabric.trunk;

import dev.weft.fabric.memory.PeerMemory;
import dev.weft.fabric.memory.SharedLease;
import dev.weft.fabric.memory.SharedMemory;
import dev.weft.fabric.packet.Loan;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.PacketFormatException;
import dev.weft.fabric.packet.PacketFormatException.Reason;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.ReadLease;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A reference to a payload that stays in the sender's memory until the receiver reads it there. In a frame, it comes before the packet, which
 * then has no payload. Little endian.
 *
 * <pre>
 *  0  pieces               u16  1 to 16
 *  2  lease                u16  slot of the sender's {@link SharedLease} under which the pieces may be read
 *  4  epoch                u32  epoch of that lease; after the copy, the receiver checks that it is still the same
 *  8  address              u64  address of the first piece in the sender's process
 * 16  length               u32  bytes of the piece, more than 0
 * 20  key                  u32  key of the sender's {@link SharedMemory} that holds the piece, 0 for none
 * 24  loan epoch           u32  epoch of the lease of the piece's {@link Loan}; without a loan, the epoch above
 * 28  loan                 u16  slot of that lease; the sender waits for its readers before it takes the memory back
 * 30  zero                 u16  0; the fields from 8 on repeat for each piece
 * </pre>
 */
final class TrunkReference {
  static final int PIECES_MAX = 16;

  private static final int HEAD_LENGTH = 8;
  private static final int PIECE_LENGTH = 24;

  private TrunkReference() {}

  /**
   * Returns the bytes of the reference to a packet's payload; 0 if the payload must not stay where it is. Only payloads of the reliable service
   * may stay: their sender keeps them until they are acknowledged, or revokes the lease.
   */
  static int lengthFor(Packet packet) {
    if (Opcode.service(packet.opcode()) != Opcode.SERVICE_RC || packet.payload().lease() == null) {
      return 0;
    }
    int pieces = packet.payload().nativePieces();
    return pieces > 0 && pieces <= PIECES_MAX ? length(pieces) : 0;
  }

  /** Whether the receiver can map all pieces of a payload that may stay. */
  static boolean isShared(Payload payload) {
    for (Payload piece = payload; piece != null; piece = piece.next()) {
      if (SharedMemory.keyOf(piece.segment().address() + piece.offset(), piece.pieceLength()) == 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns the bytes of a reference with {@code pieces} pieces. */
  static int length(int pieces) {
    return HEAD_LENGTH + pieces * PIECE_LENGTH;
  }

  /** Writes the reference, {@link #length} bytes. The caller has checked that no loan has ended. */
  static void put(MutableDirectBuffer buffer, int offset, Payload payload) {
    int at = offset + HEAD_LENGTH;
    int pieces = 0;
    for (Payload piece = payload; piece != null; piece = piece.next()) {
      long address = piece.segment().address() + piece.offset();
      buffer.putLong(at, address, ByteOrder.LITTLE_ENDIAN);
      buffer.putInt(at + 8, piece.pieceLength(), ByteOrder.LITTLE_ENDIAN);
      buffer.putInt(at + 12, SharedMemory.keyOf(address, piece.pieceLength()), ByteOrder.LITTLE_ENDIAN);
      ReadLease loan = piece.loan() == null ? null : piece.loan().lease();
      buffer.putInt(at + 16, loan == null ? payload.epoch() : loan.epoch(), ByteOrder.LITTLE_ENDIAN);
      buffer.putShort(at + 20, (short) (loan == null ? payload.lease() : loan).slot(), ByteOrder.LITTLE_ENDIAN);
      buffer.putShort(at + 22, (short) 0, ByteOrder.LITTLE_ENDIAN);
      at += PIECE_LENGTH;
      pieces++;
    }
    buffer.putShort(offset, (short) pieces, ByteOrder.LITTLE_ENDIAN);
    buffer.putShort(offset + 2, (short) payload.lease().slot(), ByteOrder.LITTLE_ENDIAN);
    buffer.putInt(offset + 4, payload.epoch(), ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Returns the number of pieces of the reference at the start of a frame's body.
   *
   * @throws PacketFormatException if {@code length} bytes do not hold a valid reference
   */
  static int pieces(DirectBuffer buffer, int offset, int length) {
    int pieces = length < HEAD_LENGTH ? 0 : buffer.getShort(offset, ByteOrder.LITTLE_ENDIAN);
    if (pieces < 1 || pieces > PIECES_MAX || length < length(pieces) + PacketCodec.MIN_LENGTH) {
      throw new PacketFormatException(Reason.LENGTH, "a reference to " + pieces + " pieces in a body of " + length + " bytes, want 1 to "
          + PIECES_MAX + " and a packet behind it");
    }
    return pieces;
  }

  /**
   * Returns the payload of a reference with {@link #pieces} pieces.
   *
   * @throws PacketFormatException if a length is wrong
   */
  static Payload payload(DirectBuffer buffer, int offset, int pieces, PeerMemory memory, Runnable onRelease) {
    Payload tail = null;
    long total = 0;
    long lease = SharedLease.state(buffer.getShort(offset + 2, ByteOrder.LITTLE_ENDIAN), buffer.getInt(offset + 4, ByteOrder.LITTLE_ENDIAN));
    for (int i = pieces - 1; i >= 0; i--) {
      int at = offset + length(i);
      int length = buffer.getInt(at + 8, ByteOrder.LITTLE_ENDIAN);
      total += length;
      if (length <= 0 || length > PacketCodec.MAX_PAYLOAD_LENGTH || total > PacketCodec.MAX_PAYLOAD_LENGTH) {
        throw new PacketFormatException(Reason.TOO_LONG, "a reference to a piece of " + length + " bytes, want 1 to "
            + PacketCodec.MAX_PAYLOAD_LENGTH + " in all");
      }
      int key = buffer.getInt(at + 12, ByteOrder.LITTLE_ENDIAN);
      try {
        long loan = SharedLease.state(buffer.getShort(at + 20, ByteOrder.LITTLE_ENDIAN), buffer.getInt(at + 16, ByteOrder.LITTLE_ENDIAN));
        tail = memory.payload(key, buffer.getLong(at, ByteOrder.LITTLE_ENDIAN), length, lease, loan, tail, i == 0 ? onRelease : null);
      } catch (IndexOutOfBoundsException e) {
        throw new PacketFormatException(Reason.PAYLOAD, "a reference to shared memory " + key + " or a lease that leads out of it: "
            + e.getMessage());
      }
    }
    return tail;
  }
}

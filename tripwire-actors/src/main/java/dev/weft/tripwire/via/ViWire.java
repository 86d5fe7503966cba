package dev.weft.tripwire.via;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** The messages between two VIs. */
final class ViWire {
  /** One segment of a receive: cookie, length, whether it is the receive's last segment. */
  static final int OFFER_BYTES = Descriptor.LENGTH + 8;
  /** Result of a receive: code, length, whether there is immediate data, immediate data. */
  static final int COMPLETION_BYTES = 16;

  static final int SENT = 1;
  static final int RDMA_WRITTEN = 2;
  static final int TOO_LONG = 3;
  static final int NO_RECEIVE = 4;
  static final int GOODBYE = 5;

  private static final int MARK = 0x56494131;

  private ViWire() {}

  /**
   * The block of each side when they connect: its ends of the four queues, and values that must agree.
   *
   * @param discriminator application that is called; without meaning in the answer
   */
  record Block(int discriminator, int maxTransferBytes, int cookieSlots, int completionSlots, Descriptor offersOut, Descriptor offersIn,
      Descriptor completionsOut, Descriptor completionsIn) {
    private static final int HEADER = 20;
    private static final int LENGTH = HEADER + 4 * Descriptor.LENGTH;

    byte[] toBytes() {
      return ByteBuffer.allocate(LENGTH).putInt(MARK).putInt(discriminator).putInt(maxTransferBytes).putInt(cookieSlots)
          .putInt(completionSlots).put(offersOut.toBytes()).put(offersIn.toBytes()).put(completionsOut.toBytes())
          .put(completionsIn.toBytes()).array();
    }

    static Block of(byte[] bytes) {
      ByteBuffer b = ByteBuffer.wrap(bytes);
      if (bytes.length != LENGTH || b.getInt() != MARK) {
        throw new NicException(Status.INVALID, "a block of " + bytes.length + " bytes is none of a VI");
      }
      return new Block(b.getInt(), b.getInt(), b.getInt(), b.getInt(), at(bytes, 0), at(bytes, 1), at(bytes, 2), at(bytes, 3));
    }

    private static Descriptor at(byte[] bytes, int index) {
      return Descriptor.fromBytes(bytes, HEADER + index * Descriptor.LENGTH);
    }
  }

  static void putOffer(MemorySegment slot, Descriptor cookie, int length, boolean last) {
    MemorySegment.copy(MemorySegment.ofArray(cookie.toBytes()), 0, slot, 0, Descriptor.LENGTH);
    slot.set(ValueLayout.JAVA_INT_UNALIGNED, Descriptor.LENGTH, length);
    slot.set(ValueLayout.JAVA_INT_UNALIGNED, Descriptor.LENGTH + 4, last ? 1 : 0);
  }

  static Descriptor cookie(MemorySegment offer) {
    return Descriptor.fromBytes(offer.asSlice(0, Descriptor.LENGTH).toArray(ValueLayout.JAVA_BYTE), 0);
  }

  static int length(MemorySegment offer) {
    return offer.get(ValueLayout.JAVA_INT_UNALIGNED, Descriptor.LENGTH);
  }

  static boolean isLast(MemorySegment offer) {
    return offer.get(ValueLayout.JAVA_INT_UNALIGNED, Descriptor.LENGTH + 4) != 0;
  }

  static void putCompletion(MemorySegment slot, int code, int length, Integer immediate) {
    slot.set(ValueLayout.JAVA_INT_UNALIGNED, 0, code);
    slot.set(ValueLayout.JAVA_INT_UNALIGNED, 4, length);
    slot.set(ValueLayout.JAVA_INT_UNALIGNED, 8, immediate == null ? 0 : 1);
    slot.set(ValueLayout.JAVA_INT_UNALIGNED, 12, immediate == null ? 0 : immediate);
  }

  static int code(MemorySegment completion) {
    return completion.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
  }

  static int moved(MemorySegment completion) {
    return completion.get(ValueLayout.JAVA_INT_UNALIGNED, 4);
  }

  static Integer immediate(MemorySegment completion) {
    return completion.get(ValueLayout.JAVA_INT_UNALIGNED, 8) == 0 ? null : completion.get(ValueLayout.JAVA_INT_UNALIGNED, 12);
  }
}

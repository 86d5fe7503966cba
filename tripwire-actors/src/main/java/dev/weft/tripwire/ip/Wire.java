package dev.weft.tripwire.ip;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** The content of the two queues of a link, and the blocks that set it up. Both ends must have the same byte order. */
final class Wire {
  /** A cookie and the number of its buffer. */
  static final int COOKIE_BYTES = Descriptor.LENGTH + 8;
  /** The number of a buffer and the length of the packet in it. */
  static final int COMPLETION_BYTES = 8;
  /** Maximum number of slots of a queue that a caller may request. */
  static final int SLOTS_MAX = 4097;

  private static final int MARK = 0x49503031;

  private Wire() {}

  /**
   * The block of the transmitter, which calls.
   *
   * @param slots slots of both queues
   * @param mtuBytes size of the longest packet
   * @param cookies its end of the cookie queue
   * @param completions its end of the completion queue
   */
  record Call(int slots, int mtuBytes, Descriptor cookies, Descriptor completions) {
    byte[] toBytes() {
      return ByteBuffer.allocate(12 + 2 * Descriptor.LENGTH).putInt(MARK).putInt(slots).putInt(mtuBytes)
          .put(cookies.toBytes()).put(completions.toBytes()).array();
    }

    static Call of(byte[] block) {
      ByteBuffer b = ByteBuffer.wrap(block);
      if (block.length != 12 + 2 * Descriptor.LENGTH || b.getInt() != MARK) {
        throw new NicException(Status.INVALID, "a block of " + block.length + " bytes is no call of IP over CLAN");
      }
      Call call = new Call(b.getInt(), b.getInt(), Descriptor.fromBytes(block, 12), Descriptor.fromBytes(block, 12 + Descriptor.LENGTH));
      if (call.slots < 2 || call.slots > SLOTS_MAX || call.mtuBytes < 1 || call.mtuBytes > IpSettings.MTU_MAX) {
        throw new NicException(Status.INVALID, "queues of " + call.slots + " slots for packets of " + call.mtuBytes + " bytes, want 2 to "
            + SLOTS_MAX + " and 1 to " + IpSettings.MTU_MAX);
      }
      return call;
    }
  }

  /** The answer of the receiver: its ends of both queues. */
  record Answer(Descriptor cookies, Descriptor completions) {
    byte[] toBytes() {
      return ByteBuffer.allocate(2 * Descriptor.LENGTH).put(cookies.toBytes()).put(completions.toBytes()).array();
    }

    static Answer of(byte[] block) {
      if (block.length != 2 * Descriptor.LENGTH) {
        throw new NicException(Status.INVALID, "a block of " + block.length + " bytes is no answer of IP over CLAN");
      }
      return new Answer(Descriptor.fromBytes(block, 0), Descriptor.fromBytes(block, Descriptor.LENGTH));
    }
  }

  static void putCookie(MemorySegment slot, Descriptor cookie, int buffer) {
    MemorySegment.copy(MemorySegment.ofArray(cookie.toBytes()), 0, slot, 0, Descriptor.LENGTH);
    slot.set(ValueLayout.JAVA_INT_UNALIGNED, Descriptor.LENGTH, buffer);
  }

  static Descriptor cookie(MemorySegment slot) {
    return Descriptor.fromBytes(slot.asSlice(0, Descriptor.LENGTH).toArray(ValueLayout.JAVA_BYTE), 0);
  }

  static int cookieBuffer(MemorySegment slot) {
    return slot.get(ValueLayout.JAVA_INT_UNALIGNED, Descriptor.LENGTH);
  }

  static void putCompletion(MemorySegment slot, int buffer, int length) {
    slot.set(ValueLayout.JAVA_INT_UNALIGNED, 0, buffer);
    slot.set(ValueLayout.JAVA_INT_UNALIGNED, 4, length);
  }

  static int completionBuffer(MemorySegment slot) {
    return slot.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
  }

  static int completionLength(MemorySegment slot) {
    return slot.get(ValueLayout.JAVA_INT_UNALIGNED, 4);
  }
}

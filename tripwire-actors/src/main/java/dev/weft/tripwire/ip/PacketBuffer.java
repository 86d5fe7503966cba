package dev.weft.tripwire.ip;

import java.lang.foreign.MemorySegment;

/** A packet on its way from the kernel to the network. Queues pass it from thread to thread. */
final class PacketBuffer {
  private static final int VERSION_SHIFT = 60;
  private static final int IPV4 = 4;
  private static final int IPV4_HEADER = 20;
  private static final int IPV4_DESTINATION = 16;

  private final MemorySegment memory;
  private int length;

  PacketBuffer(MemorySegment memory) {
    this.memory = memory;
  }

  MemorySegment memory() {
    return memory;
  }

  int length() {
    return length;
  }

  void setLength(int newLength) {
    length = newLength;
  }

  /** Destination address, or 0 if it is not an IPv4 packet. */
  int destination() {
    if (length < IPV4_HEADER || (memory.get(ClanIp.LONG, 0) >>> VERSION_SHIFT) != IPV4) {
      return 0;
    }
    return memory.get(ClanIp.INT, IPV4_DESTINATION);
  }
}

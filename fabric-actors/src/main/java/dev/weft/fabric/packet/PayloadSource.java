package dev.weft.fabric.packet;

import java.lang.foreign.MemorySegment;

/** Memory of another process on this host, out of which the bytes of a payload are taken where they are placed. Any thread. */
public interface PayloadSource {
  /**
   * Copies {@code length} bytes from {@code address} in the other process to {@code target}.
   *
   * @return bytes that were copied on the way; more than {@code length} if it took more than one copy
   * @throws PayloadLostException if they cannot be read any more, or the target has no pages any more; part of the target may have been written
   * @throws IndexOutOfBoundsException if the target is too short
   */
  int copyTo(long address, MemorySegment target, long targetOffset, int length);
}

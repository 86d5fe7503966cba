package dev.weft.fabric.packet;

import java.lang.foreign.MemorySegment;

/** Memory of another process on this host. The receiver copies the bytes of a payload out of it when it places them. Any thread. */
public interface PayloadSource {
  /**
   * Copies {@code length} bytes from {@code address} in the other process to {@code target}.
   *
   * @return the bytes copied; more than {@code length} if it took more than one copy
   * @throws PayloadLostException if the bytes cannot be read any more, or the target has no pages any more; part of the target may have been written
   * @throws IndexOutOfBoundsException if the target is too short
   */
  int copyTo(long address, MemorySegment target, long targetOffset, int length);
}

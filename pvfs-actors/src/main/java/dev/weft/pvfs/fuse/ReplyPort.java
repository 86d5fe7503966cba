package dev.weft.pvfs.fuse;

import java.lang.foreign.MemorySegment;

/** Where the answer of a request goes: the descriptor that it was read from. */
interface ReplyPort {
  /**
   * Writes one message.
   *
   * @param vector {@code struct iovec}s
   * @return 0, or a negative error number
   */
  int send(MemorySegment vector, int count);
}

package dev.weft.pvfs.fuse;

import java.lang.foreign.MemorySegment;

/** Destination of the answer of a request: the descriptor that the request was read from. */
interface ReplyPort {
  /**
   * Writes one message.
   *
   * @param vector {@code struct iovec}s
   * @return 0, or a negative error number
   */
  int send(MemorySegment vector, int count);
}

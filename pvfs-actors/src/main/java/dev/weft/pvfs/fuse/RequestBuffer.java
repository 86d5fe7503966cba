package dev.weft.pvfs.fuse;

import java.lang.foreign.MemorySegment;

/** Memory for a request and a transfer. The data of a write begins at a page, as does the room for an answer. */
final class RequestBuffer {
  private static final int PAGE_BYTES = 4096;
  private static final int BEFORE_PAYLOAD = Protocol.IN_HEADER_BYTES + Protocol.WRITE_IN_BYTES;

  private final MemorySegment request;
  private final MemorySegment payload;

  RequestBuffer(int transferBytes) {
    MemorySegment memory = LinuxCalls.pages(2L * PAGE_BYTES + transferBytes);
    request = memory.asSlice(PAGE_BYTES - BEFORE_PAYLOAD);
    payload = memory.asSlice(PAGE_BYTES, transferBytes);
  }

  /** Memory into which a request is read: a bit larger than the largest one. */
  MemorySegment request() {
    return request;
  }

  /** Memory in which an answer may be built. */
  MemorySegment payload() {
    return payload;
  }
}

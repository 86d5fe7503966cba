package dev.weft.hca.memory;

import dev.weft.hca.verbs.Hca;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory that a verb has allocated. It can be freed only when no region refers to it. */
public abstract sealed class HeldMemory permits Dm, PdBuf {
  /** Alignment of the memory in bytes. */
  private static final long ALIGNMENT = 4096;

  final Hca hca;
  private final Arena arena = Arena.ofShared();
  final MemorySegment memory;
  /** Number of regions that refer to it and, below, whether it is freed. Hardware thread. */
  int regions;
  boolean freed;

  HeldMemory(Hca hca, long lengthBytes) {
    this.hca = hca;
    memory = arena.allocate(lengthBytes, ALIGNMENT);
  }

  /** Length in bytes. */
  public long length() {
    return memory.byteSize();
  }

  void free() {
    freed = true;
    arena.close();
  }

  /** Throws EINVAL if that range cannot be registered in that domain. */
  abstract void checkRegistration(Pd pd, long offset, long lengthBytes, int access);
}

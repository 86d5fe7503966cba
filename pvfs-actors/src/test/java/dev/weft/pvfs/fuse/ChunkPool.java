package dev.weft.pvfs.fuse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/** Chunks of memory of zeros, at most so many. Any thread. */
final class ChunkPool {
  static final int CHUNK_BYTES = 64 << 10;
  private static final int SLAB_CHUNKS = 64;

  private final Arena arena = Arena.ofAuto();
  private final Deque<MemorySegment> free = new ArrayDeque<>();
  private final long chunksMax;
  private long used;

  ChunkPool(long bytesMax) {
    chunksMax = bytesMax / CHUNK_BYTES;
  }

  /** Null if there is none left. */
  synchronized MemorySegment take() {
    if (used == chunksMax) {
      return null;
    }
    if (free.isEmpty()) {
      MemorySegment slab = arena.allocate((long) SLAB_CHUNKS * CHUNK_BYTES, 4096);
      for (int i = 0; i < SLAB_CHUNKS; i++) {
        free.add(slab.asSlice((long) i * CHUNK_BYTES, CHUNK_BYTES));
      }
    }
    used++;
    return free.remove();
  }

  void give(MemorySegment chunk) {
    chunk.fill((byte) 0);
    synchronized (this) {
      used--;
      free.add(chunk);
    }
  }

  long chunksMax() {
    return chunksMax;
  }

  synchronized long freeChunks() {
    return chunksMax - used;
  }
}

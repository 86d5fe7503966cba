package dev.weft.pvfs.files;

import dev.weft.hca.node.Node;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Memory of the fabric for data whose own memory the hardware cannot reach: arrays of the heap. It costs a copy, which is counted. Any thread.
 *
 * <p>Bounds: {@link #KEPT} buffers are kept; what is taken beyond goes when it is not used any more.
 */
final class Staging {
  /** Bytes of a buffer: what is longer goes in pieces. */
  static final int BUFFER_BYTES = 1 << 20;
  private static final int KEPT = 8;

  private final Node node;
  private final ArrayBlockingQueue<MemorySegment> free = new ArrayBlockingQueue<>(KEPT);
  private final LongAdder copied = new LongAdder();

  Staging(Node node) {
    this.node = node;
  }

  MemorySegment take() {
    MemorySegment kept = free.poll();
    return kept == null ? node.hca().allocMemory(Arena.ofAuto(), BUFFER_BYTES) : kept;
  }

  /** Nothing of the client uses it any more. */
  void giveBack(MemorySegment buffer) {
    free.offer(buffer);
  }

  void count(long bytes) {
    copied.add(bytes);
  }

  /** Bytes that were copied between the heap and such memory. */
  long copiedBytes() {
    return copied.sum();
  }
}

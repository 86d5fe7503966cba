package dev.weft.pvfs.files;

import dev.weft.hca.node.Node;
import dev.weft.pvfs.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Buffers in fabric memory for data that the hardware cannot reach: arrays on the heap. Each use costs a copy, which is counted. Any thread.
 *
 * <p>Bounds: for each size as many buffers are kept as {@link Size} says. Buffers beyond that are freed after use.
 */
final class Staging {
  /** Size of the largest buffer in bytes. Longer data goes in pieces. */
  static final int BUFFER_BYTES = 1 << 20;

  /** Buffers of one size: short data gets small buffers, since many operations may be under way. */
  private record Size(int bytes, ArrayBlockingQueue<MemorySegment> free) {
    static Size of(int bytes, int kept) {
      return new Size(bytes, new ArrayBlockingQueue<>(kept));
    }
  }

  private final Node node;
  private final List<Size> sizes = List.of(Size.of(4 << 10, 256), Size.of(64 << 10, 32), Size.of(BUFFER_BYTES, 8));
  private final LongAdder copied = new LongAdder();

  Staging(Node node) {
    this.node = node;
  }

  /**
   * Returns a buffer of at least so many bytes, at most {@link #BUFFER_BYTES}.
   *
   * @throws PvfsException ENOMEM if there is no memory for it
   */
  MemorySegment take(int bytes) throws PvfsException {
    Size size = sizeOf(bytes);
    MemorySegment kept = size.free.poll();
    try {
      return kept == null ? node.hca().allocMemory(Arena.ofAuto(), size.bytes) : kept;
    } catch (OutOfMemoryError full) {
      PvfsException failed = new PvfsException(Errno.ENOMEM, "a copy of " + bytes + " bytes of the heap, of which fewer may be under way (" + full.getMessage()
          + "; direct buffers need none)");
      failed.initCause(full);
      throw failed;
    }
  }

  /** Takes a buffer back that the client no longer uses. */
  void giveBack(MemorySegment buffer) {
    sizeOf((int) buffer.byteSize()).free.offer(buffer);
  }

  private Size sizeOf(int bytes) {
    return sizes.stream().filter(size -> bytes <= size.bytes).findFirst().orElseThrow();
  }

  void count(long bytes) {
    copied.add(bytes);
  }

  /** Returns how many bytes were copied between the heap and these buffers. */
  long copiedBytes() {
    return copied.sum();
  }
}

package dev.weft.pager.client;

import dev.weft.pager.BlockDevice;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** A borrowed range of the registered pool. */
final class PoolBuffer implements BlockDevice.Buffer {
  final PagerDevice device;
  final long offset;
  final int lengthBytes;
  private final MemorySegment segment;
  private final AtomicBoolean released = new AtomicBoolean();

  PoolBuffer(PagerDevice device, MemorySegment pool, long offset, int lengthBytes) {
    this.device = device;
    this.offset = offset;
    this.lengthBytes = lengthBytes;
    this.segment = pool.asSlice(offset, lengthBytes);
  }

  @Override
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public void release() {
    if (!released.compareAndSet(false, true)) {
      throw new IllegalStateException("buffer " + offset + "+" + lengthBytes + " was released already");
    }
    device.pool().free(offset, lengthBytes);
  }
}

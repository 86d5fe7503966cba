package dev.weft.fabric.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Lets shared memory count against -XX:MaxDirectMemorySize, as what an Arena allocates does. The JVM counts the latter only, so what is
 * shared already does not limit that. Any thread.
 */
final class DirectMemoryLimit {
  /** The same waits as the JVM's own for memory that the collector may give back: half a second altogether. */
  private static final int WAITS = 9;

  private final long bytesMax;
  private final LongSupplier ordinaryBytes;
  private final Runnable collector;
  private long taken;

  /**
   * @param ordinaryBytes what counts against {@code bytesMax} besides
   * @param collector makes memory that nobody refers to free itself, now or soon
   */
  DirectMemoryLimit(long bytesMax, LongSupplier ordinaryBytes, Runnable collector) {
    this.bytesMax = bytesMax;
    this.ordinaryBytes = ordinaryBytes;
    this.collector = collector;
  }

  /** This JVM's. */
  static DirectMemoryLimit ofThisProcess() {
    long configured = Long.parseLong(
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).getVMOption("MaxDirectMemorySize").getValue());
    BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
    return new DirectMemoryLimit(configured == 0 ? Runtime.getRuntime().maxMemory() : configured, direct::getTotalCapacity, System::gc);
  }

  /**
   * Counts so many bytes more, until {@link #give}. May take half a second.
   *
   * @throws OutOfMemoryError if they are too many
   */
  void take(long bytes) {
    if (tryTake(bytes)) {
      return;
    }
    collector.run();
    for (int i = 0; i < WAITS; i++) {
      if (tryTake(bytes)) {
        return;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1L << i));
    }
    if (!tryTake(bytes)) {
      throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of shared memory (left: " + Math.max(0, left()) + ", limit: " + bytesMax
          + ", -XX:MaxDirectMemorySize)");
    }
  }

  private synchronized boolean tryTake(long bytes) {
    if (bytes > left()) {
      return false;
    }
    taken += bytes;
    return true;
  }

  private synchronized long left() {
    return bytesMax - taken - ordinaryBytes.getAsLong();
  }

  synchronized void give(long bytes) {
    taken -= bytes;
  }

  synchronized long taken() {
    return taken;
  }
}

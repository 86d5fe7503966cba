package dev.weft.fabric.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.weft.fabric.time.Pause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Counts shared memory against -XX:MaxDirectMemorySize, as the JVM counts direct buffers. The JVM itself counts only direct buffers, so shared
 * memory does not limit them. It also does not count the allocations of arenas that are closed explicitly. Any thread.
 */
final class DirectMemoryLimit {
  /** As many waits as the JVM itself makes for memory that the collector may free: half a second in total. */
  private static final int WAITS = 9;

  private final long bytesMax;
  private final LongSupplier ordinaryBytesMost;
  private final LongSupplier ordinaryBytes;
  private final Runnable collector;
  private long taken;

  /**
   * @param ordinaryBytesMost an upper bound of {@code ordinaryBytes}; asked first, because {@code ordinaryBytes} is needed only if the bound is too high
   * @param ordinaryBytes other bytes that count against {@code bytesMax}
   * @param collector frees unreferenced memory, immediately or soon
   */
  DirectMemoryLimit(long bytesMax, LongSupplier ordinaryBytesMost, LongSupplier ordinaryBytes, Runnable collector) {
    this.bytesMax = bytesMax;
    this.ordinaryBytesMost = ordinaryBytesMost;
    this.ordinaryBytes = ordinaryBytes;
    this.collector = collector;
  }

  /** Makes the limit of this JVM. */
  static DirectMemoryLimit ofThisProcess() {
    return new DirectMemoryLimit(configuredBytes(), DirectMemoryLimit::anonymousBytes, DirectMemoryLimit::directBytes, System::gc);
  }

  /** Asks the JVM's own class, which is open to Weft wherever Agrona works. */
  static long configuredBytes() {
    try {
      return (long) Class.forName("jdk.internal.misc.VM").getMethod("maxDirectMemory").invoke(null);
    } catch (ReflectiveOperationException | RuntimeException closed) {
      return Beans.configuredBytes();
    }
  }

  /** Returns the bytes of this process that belong to no file. They include direct memory, because the JVM zeroes that when it allocates it. */
  static long anonymousBytes() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines.filter(line -> line.startsWith("RssAnon:") || line.startsWith("VmSwap:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024).sum();
    } catch (IOException | UncheckedIOException e) {
      return Long.MAX_VALUE / 2;
    }
  }

  /** Returns the bytes of direct memory that the JVM counts. */
  static long directBytes() {
    return Beans.DIRECT.getTotalCapacity();
  }

  /** Loaded only if there is no other way: management beans take 27 ms of a JVM's start. */
  static final class Beans {
    static final BufferPoolMXBean DIRECT = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();

    static long configuredBytes() {
      long configured = Long.parseLong(
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).getVMOption("MaxDirectMemorySize").getValue());
      return configured == 0 ? Runtime.getRuntime().maxMemory() : configured;
    }
  }

  /**
   * Counts {@code bytes} more bytes, until {@link #give}. May take half a second.
   *
   * @throws OutOfMemoryError if that would exceed the limit
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
      Pause.of(TimeUnit.MILLISECONDS.toNanos(1L << i));
    }
    if (!tryTake(bytes)) {
      throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of shared memory (left: " + Math.max(0, left()) + ", limit: " + bytesMax
          + ", -XX:MaxDirectMemorySize)");
    }
  }

  private synchronized boolean tryTake(long bytes) {
    if (bytes > bytesMax - taken - ordinaryBytesMost.getAsLong() && bytes > left()) {
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

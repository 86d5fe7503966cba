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
 * Lets shared memory count against -XX:MaxDirectMemorySize, as direct buffers do. The JVM counts these only, so what is shared already does
 * not limit them; nor does it count what arenas allocate that are closed by hand. Any thread.
 */
final class DirectMemoryLimit {
  /** The same waits as the JVM's own for memory that the collector may give back: half a second altogether. */
  private static final int WAITS = 9;

  private final long bytesMax;
  private final LongSupplier ordinaryBytesMost;
  private final LongSupplier ordinaryBytes;
  private final Runnable collector;
  private long taken;

  /**
   * @param ordinaryBytesMost at least {@code ordinaryBytes}; is asked first, and that only if it matters
   * @param ordinaryBytes what counts against {@code bytesMax} besides
   * @param collector makes memory that nobody refers to free itself, now or soon
   */
  DirectMemoryLimit(long bytesMax, LongSupplier ordinaryBytesMost, LongSupplier ordinaryBytes, Runnable collector) {
    this.bytesMax = bytesMax;
    this.ordinaryBytesMost = ordinaryBytesMost;
    this.ordinaryBytes = ordinaryBytes;
    this.collector = collector;
  }

  /** This JVM's. */
  static DirectMemoryLimit ofThisProcess() {
    return new DirectMemoryLimit(configuredBytes(), DirectMemoryLimit::anonymousBytes, DirectMemoryLimit::directBytes, System::gc);
  }

  /** Asks the JVM's own class, which is open to us where Agrona works. */
  static long configuredBytes() {
    try {
      return (long) Class.forName("jdk.internal.misc.VM").getMethod("maxDirectMemory").invoke(null);
    } catch (ReflectiveOperationException | RuntimeException closed) {
      return Beans.configuredBytes();
    }
  }

  /** Memory of this process that belongs to no file: direct memory is among it, since it is zeroed when it is made. */
  static long anonymousBytes() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines.filter(line -> line.startsWith("RssAnon:") || line.startsWith("VmSwap:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024).sum();
    } catch (IOException | UncheckedIOException e) {
      return Long.MAX_VALUE / 2;
    }
  }

  /** Direct memory that the JVM counts. */
  static long directBytes() {
    return Beans.DIRECT.getTotalCapacity();
  }

  /** Loaded when there is no other way: management beans take 27 ms of a JVM's start. */
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

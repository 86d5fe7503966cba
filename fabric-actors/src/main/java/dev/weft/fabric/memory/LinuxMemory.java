package dev.weft.fabric.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** The Linux calls that make a file in memory which has no name and map it, and how they are found. */
final class LinuxMemory {
  private static final boolean IS_LINUX = System.getProperty("os.name").toLowerCase(Locale.ROOT).equals("linux")
      && LinuxMemory.class.getModule().isNativeAccessEnabled();
  private static final MethodHandle MEMFD_CREATE = find("memfd_create",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
  private static final MethodHandle FTRUNCATE = find("ftruncate",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
  private static final MethodHandle FALLOCATE = find("fallocate",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle MMAP = find("mmap", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
      ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
  private static final MethodHandle MUNMAP = find("munmap",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle CLOSE = find("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private static final MemorySegment NAME = Arena.global().allocateFrom("weft");
  private static final int CLOSE_ON_EXEC = 1;
  private static final int READ_WRITE = 3;
  /** MAP_SHARED, and MAP_POPULATE: first touch is what takes long. That it did not populate would not be told. */
  private static final int SHARED_POPULATED = 0x8001;

  private LinuxMemory() {}

  /** A function of the C library; null if this machine does not have it, or this JVM may not call it. */
  @SuppressWarnings("restricted") // calls into the C library, which is what native access is for
  static MethodHandle find(String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = IS_LINUX ? Linker.nativeLinker() : null;
    return IS_LINUX ? linker.defaultLookup().find(name).map(address -> linker.downcallHandle(address, type, options)).orElse(null) : null;
  }

  static boolean isSupported() {
    return MEMFD_CREATE != null && FTRUNCATE != null && FALLOCATE != null && MMAP != null && MUNMAP != null && CLOSE != null;
  }

  /** Bytes that the machine can give without swapping; all there could be if it does not say. */
  static long availableBytes() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
      return lines.filter(line -> line.startsWith("MemAvailable:")).findFirst().map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .orElse(Long.MAX_VALUE);
    } catch (IOException e) {
      return Long.MAX_VALUE;
    }
  }

  /** Descriptor of a new file of so many zero bytes, which are there: touching them cannot fail later. -1 if there cannot be one. */
  static int create(long bytes) {
    try {
      int fd = (int) MEMFD_CREATE.invokeExact(NAME, CLOSE_ON_EXEC);
      if (fd >= 0 && ((int) FTRUNCATE.invokeExact(fd, bytes) != 0 || (int) FALLOCATE.invokeExact(fd, 0, 0L, bytes) != 0)) {
        close(fd);
        return -1;
      }
      return fd;
    } catch (Throwable e) {
      throw failed("memfd_create", e);
    }
  }

  /** Address of the whole file; -1 if it cannot be mapped. */
  static long map(int fd, long bytes) {
    try {
      return (long) MMAP.invokeExact(0L, bytes, READ_WRITE, SHARED_POPULATED, fd, 0L);
    } catch (Throwable e) {
      throw failed("mmap", e);
    }
  }

  static void unmap(long address, long bytes) {
    try {
      int ignored = (int) MUNMAP.invokeExact(address, bytes);
    } catch (Throwable e) {
      throw failed("munmap", e);
    }
  }

  static void close(int fd) {
    try {
      int ignored = (int) CLOSE.invokeExact(fd);
    } catch (Throwable e) {
      throw failed("close", e);
    }
  }

  private static IllegalStateException failed(String call, Throwable e) {
    return new IllegalStateException(call + " could not be called", e);
  }
}

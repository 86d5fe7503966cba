package dev.weft.fabric.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The Linux calls that create an unnamed file in memory and map it. */
final class LinuxMemory {
  private static final MethodHandle MEMFD_CREATE = CLibrary.findIfAllowed("memfd_create",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
  private static final MethodHandle FTRUNCATE = CLibrary.findIfAllowed("ftruncate",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
  private static final MethodHandle FALLOCATE = CLibrary.findIfAllowed("fallocate",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle MMAP = CLibrary.findIfAllowed("mmap", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
      ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
  private static final MethodHandle MADVISE = CLibrary.findIfAllowed("madvise",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
  private static final MethodHandle MUNMAP = CLibrary.findIfAllowed("munmap",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle CLOSE = CLibrary.findIfAllowed("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private static final MemorySegment NAME = Arena.global().allocateFrom("weft");
  private static final int CLOSE_ON_EXEC = 1;
  private static final int READ_WRITE = 3;
  private static final int SHARED = 1;
  /** MADV_POPULATE_WRITE, since Linux 5.14. */
  private static final int POPULATE_WRITE = 23;
  /**
   * Bytes for one call. The kernel locks the address space while it populates pages. Other threads then wait if they map memory, start a
   * thread or touch a page for the first time. For 4 MiB, that takes some milliseconds. For 14 GiB at once (MAP_POPULATE), it took 23 s, so
   * that Aeron and Akka considered the JVM dead.
   */
  private static final long POPULATE_BYTES = 4L << 20;

  private LinuxMemory() {}

  static boolean isSupported() {
    return MEMFD_CREATE != null && FTRUNCATE != null && FALLOCATE != null && MMAP != null && MUNMAP != null && CLOSE != null;
  }

  /** Returns the descriptor of a new file of {@code bytes} zero bytes, or -1. The file has all its pages, so that touching them cannot fail later. */
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

  /** Maps the whole file, with its pages populated if the kernel can do that. Returns its address; -1 if it cannot be mapped. */
  static long map(int fd, long bytes) {
    try {
      long address = (long) MMAP.invokeExact(0L, bytes, READ_WRITE, SHARED, fd, 0L);
      if (address != -1 && MADVISE != null) {
        populate(address, bytes);
      }
      return address;
    } catch (Throwable e) {
      throw failed("mmap", e);
    }
  }

  /** Maps the pages now, because the first touch takes long. An older kernel rejects the call; it then maps each page at its first use. */
  private static void populate(long address, long bytes) throws Throwable {
    int refused = 0;
    for (long at = 0; at < bytes && refused == 0; at += POPULATE_BYTES) {
      refused = (int) MADVISE.invokeExact(address + at, Math.min(POPULATE_BYTES, bytes - at), POPULATE_WRITE);
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

package dev.weft.fabric.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reserves space of a file system before Weft promises it to a client. Any thread. */
public final class FileSpace {
  private static final int O_WRONLY = 1;
  private static final int ENOSPC = 28;
  private static final int ZEROS_BYTES = 1 << 20;
  private static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
  private static final long ERRNO_OFFSET = ERRNO_LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  private FileSpace() {}

  /**
   * Extends an empty file to {@code bytes}, so that later writes never fail for lack of space. If the C library cannot reserve the space,
   * writes zeros.
   *
   * @param path the path of {@code file}
   * @throws IOException if the file system has less free space; the message says how much it has
   */
  public static void reserve(Path path, FileChannel file, long bytes) throws IOException {
    if (bytes == 0) {
      return;
    }
    FileStore store = Files.getFileStore(path);
    long free = store.getUsableSpace();
    if (free < bytes && store.getTotalSpace() > 0) { // Some file systems do not report their space (ramfs).
      throw tooLittle(path, bytes, free); // Checked before the attempt, which would take the space that is left from other programs.
    }
    int error = allocate(path, bytes);
    if (error == ENOSPC) {
      long left = Files.getFileStore(path).getUsableSpace();
      file.truncate(0);
      throw tooLittle(path, bytes, left);
    }
    if (error != 0) {
      try {
        writeZeros(file, bytes);
      } catch (IOException e) {
        file.truncate(0);
        throw e;
      }
    }
  }

  private static IOException tooLittle(Path path, long bytes, long free) {
    return new IOException("the file system of " + path.toAbsolutePath().getParent() + " has " + free + " bytes free, " + bytes
        + " are needed (" + (bytes - free) + " more)");
  }

  /** Returns 0, or the error number of the C library; -1 if its functions cannot be called. */
  private static int allocate(Path path, long bytes) {
    MethodHandle open = CLibrary.findIfAllowed("open",
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT), ERRNO, Linker.Option.firstVariadicArg(2));
    MethodHandle allocate = CLibrary.findIfAllowed("posix_fallocate",
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    MethodHandle close = CLibrary.findIfAllowed("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    if (open == null || allocate == null || close == null) {
      return -1;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO_LAYOUT);
      int descriptor = (int) open.invokeExact(errno, arena.allocateFrom(path.toString()), O_WRONLY);
      if (descriptor < 0) {
        return errno.get(ValueLayout.JAVA_INT, ERRNO_OFFSET);
      }
      int result = (int) allocate.invokeExact(descriptor, 0L, bytes);
      int closed = (int) close.invokeExact(descriptor);
      return result != 0 ? result : closed;
    } catch (Throwable e) {
      throw new IllegalStateException("posix_fallocate cannot be called", e);
    }
  }

  private static void writeZeros(FileChannel file, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(bytes, ZEROS_BYTES));
    for (long at = 0; at < bytes; ) {
      zeros.limit((int) Math.min(zeros.capacity(), bytes - at)).position(0);
      at += file.write(zeros, at);
    }
  }
}

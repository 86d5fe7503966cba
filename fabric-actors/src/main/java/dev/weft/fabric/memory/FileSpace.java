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

/** Space of a file system, set aside before anybody is promised that there is some. Any thread. */
public final class FileSpace {
  private static final int O_WRONLY = 1;
  private static final int ENOSPC = 28;
  private static final int ZEROS_BYTES = 1 << 20;
  private static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
  private static final long ERRNO_OFFSET = ERRNO_LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  private FileSpace() {}

  /**
   * Makes an empty file {@code bytes} long, so that writing to it never fails for want of space. Where the C library cannot be asked,
   * zeros are written.
   *
   * @param path the file that {@code file} is
   * @throws IOException if its file system has less; the message says how much there is
   */
  public static void reserve(Path path, FileChannel file, long bytes) throws IOException {
    if (bytes == 0) {
      return;
    }
    FileStore store = Files.getFileStore(path);
    long free = store.getUsableSpace();
    if (free < bytes && store.getTotalSpace() > 0) { // Some say nothing of their room (ramfs).
      throw tooLittle(path, bytes, free); // Asked first: trying would take from others what there is.
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

  /** An error number of the C library; not 0 if it was not asked. */
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

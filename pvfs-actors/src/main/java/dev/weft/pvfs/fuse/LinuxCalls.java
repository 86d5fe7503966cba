package dev.weft.pvfs.fuse;

import dev.weft.fabric.memory.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Linux system calls by number. Each returns the kernel's result, negative error numbers included. Any thread. */
final class LinuxCalls {
  /** The system calls used here, with their numbers. */
  enum Call {
    READ(0, 63),
    CLOSE(3, 57),
    MMAP(9, 222),
    MUNMAP(11, 215),
    IOCTL(16, 29),
    WRITEV(20, 66),
    GETPID(39, 172),
    RECVMSG(47, 212),
    SOCKETPAIR(53, 199),
    WAIT4(61, 260),
    GETEUID(107, 175),
    GETEGID(108, 177),
    MOUNT(165, 40),
    UMOUNT2(166, 39),
    GETTID(186, 178),
    TGKILL(234, 131),
    OPENAT(257, 56),
    PIPE2(293, 59);

    private final long number;

    Call(int amd64, int aarch64) {
      number = Syscall.number(amd64, aarch64);
    }
  }

  static final int EPERM = -1;
  static final int ENOENT = -2;
  static final int EINTR = -4;
  static final int EIO = -5;
  static final int EAGAIN = -11;
  static final int ENODEV = -19;
  static final int EINVAL = -22;
  static final int ECONNABORTED = -103;
  static final int ENOTCONN = -107;

  static final int READ_WRITE_CLOSE_ON_EXEC = 2 | 0x80000;
  private static final int CURRENT_DIRECTORY = -100;
  private static final int READ_WRITE = 3;
  private static final int PRIVATE_ANONYMOUS = 0x22;

  private LinuxCalls() {}

  /** Returns why system calls are impossible here; null if they are possible. */
  static String problem() {
    return Syscall.problem("a mount");
  }

  static long call(Call call, long a, long b, long c, long d, long e) {
    return Syscall.call(call.number, a, b, c, d, e, 0);
  }

  static long call(Call call, long a, long b, long c) {
    return call(call, a, b, c, 0, 0);
  }

  static long call(Call call) {
    return call(call, 0, 0, 0, 0, 0);
  }

  /** Opens a file; returns its descriptor, or a negative error number. */
  static int open(String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) call(Call.OPENAT, CURRENT_DIRECTORY, arena.allocateFrom(path).address(), flags);
    }
  }

  static void close(int fd) {
    call(Call.CLOSE, fd, 0, 0);
  }

  static int pageBytes() {
    return Syscall.pageBytes();
  }

  /** Returns zeroed memory that begins at a page and takes no space before it is written; it is freed when it becomes unreachable. */
  @SuppressWarnings("restricted") // mapped here
  static MemorySegment pages(long bytes) {
    long at = Syscall.call(Call.MMAP.number, 0, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
    if (at < 0) {
      throw new OutOfMemoryError("mmap(2) gives no " + bytes + " bytes for a request: " + errorName(at));
    }
    return MemorySegment.ofAddress(at).reinterpret(bytes, Arena.ofAuto(), memory -> call(Call.MUNMAP, memory.address(), bytes, 0));
  }

  static String errorName(long result) {
    return Syscall.errorName(result);
  }
}

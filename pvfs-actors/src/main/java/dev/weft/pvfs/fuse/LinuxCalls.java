package dev.weft.pvfs.fuse;

import dev.weft.fabric.memory.CLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** System calls of Linux by their numbers; each answers what the kernel answers, a negative error number where it refuses. Any thread. */
final class LinuxCalls {
  /** The calls that are used here, with their numbers. */
  enum Call {
    READ(0, 63),
    CLOSE(3, 57),
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
      number = IS_AMD64 ? amd64 : aarch64;
    }
  }

  static final int EPERM = -1;
  static final int ENOENT = -2;
  static final int EINTR = -4;
  static final int EIO = -5;
  static final int EAGAIN = -11;
  static final int ENOMEM = -12;
  static final int EACCES = -13;
  static final int EBUSY = -16;
  static final int ENODEV = -19;
  static final int EINVAL = -22;
  static final int ECONNABORTED = -103;
  static final int ENOTCONN = -107;

  static final int READ_WRITE_CLOSE_ON_EXEC = 2 | 0x80000;
  private static final int CURRENT_DIRECTORY = -100;
  private static final int READ_WRITE = 3;
  private static final int PRIVATE_ANONYMOUS = 0x22;
  private static final String MACHINE = System.getProperty("os.name") + " " + System.getProperty("os.arch");
  private static final boolean IS_AMD64 = MACHINE.equals("Linux amd64") || MACHINE.equals("Linux x86_64");
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO_AT = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle SYSCALL = !IS_AMD64 && !MACHINE.equals("Linux aarch64") ? null
      : CLibrary.findIfAllowed("syscall",
          FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
          Linker.Option.firstVariadicArg(1), Linker.Option.captureCallState("errno"));
  private static final ThreadLocal<MemorySegment> ERRNO = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

  private LinuxCalls() {}

  /** Why system calls cannot be made here; null if they can. */
  static String problem() {
    if (SYSCALL != null) {
      return null;
    }
    return CLibrary.class.getModule().isNativeAccessEnabled() ? "a mount needs Linux on amd64 or aarch64, this is " + MACHINE
        : "this JVM may not make system calls; start it with --enable-native-access=ALL-UNNAMED";
  }

  static long call(Call call, long a, long b, long c, long d, long e) {
    MemorySegment state = ERRNO.get();
    try {
      long result = (long) SYSCALL.invokeExact(state, call.number, a, b, c, d, e);
      return result == -1 ? -state.get(ValueLayout.JAVA_INT, ERRNO_AT) : result;
    } catch (Throwable cannotBe) {
      throw new IllegalStateException(call + " could not be called", cannotBe);
    }
  }

  static long call(Call call, long a, long b, long c) {
    return call(call, a, b, c, 0, 0);
  }

  static long call(Call call) {
    return call(call, 0, 0, 0, 0, 0);
  }

  /** Opens a file; its descriptor, or a negative error number. */
  static int open(String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) call(Call.OPENAT, CURRENT_DIRECTORY, arena.allocateFrom(path).address(), flags);
    }
  }

  static void close(int fd) {
    call(Call.CLOSE, fd, 0, 0);
  }

  static int pageBytes() {
    try {
      return (int) PageHolder.SIZE.invokeExact();
    } catch (Throwable cannotBe) {
      throw new IllegalStateException("getpagesize(3) could not be called", cannotBe);
    }
  }

  private static final class PageHolder {
    static final MethodHandle SIZE = CLibrary.find("getpagesize", FunctionDescriptor.of(ValueLayout.JAVA_INT));
  }

  /** Memory of zeros that begins a page and takes none before it is written; it goes when nobody can reach it any more. */
  @SuppressWarnings("restricted") // mapped here
  static MemorySegment pages(long bytes) {
    try {
      MethodHandle mmap = MmapHolder.MMAP;
      MemorySegment at = (MemorySegment) mmap.invokeExact(MemorySegment.NULL, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
      if (at.address() == -1) {
        throw new OutOfMemoryError("mmap(2) gives no " + bytes + " bytes for a request");
      }
      return MemorySegment.ofAddress(at.address()).reinterpret(bytes, Arena.ofAuto(), memory -> call(Call.MUNMAP, memory.address(), bytes, 0));
    } catch (OutOfMemoryError none) {
      throw none;
    } catch (Throwable cannotBe) {
      throw new IllegalStateException("mmap(2) could not be called", cannotBe);
    }
  }

  /** It has six arguments, one more than the others. */
  private static final class MmapHolder {
    static final MethodHandle MMAP = CLibrary.find("mmap", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
  }

  /** As messages show it. */
  static String errorName(long result) {
    return switch ((int) result) {
      case EPERM -> "EPERM, not permitted";
      case ENOENT -> "ENOENT, it does not exist";
      case EIO -> "EIO, input or output failed";
      case ENOMEM -> "ENOMEM, no memory left";
      case EACCES -> "EACCES, no permission";
      case EBUSY -> "EBUSY, it is in use";
      case ENODEV -> "ENODEV, this kernel does not have it";
      case EINVAL -> "EINVAL, refused by this kernel";
      case -20 -> "ENOTDIR, it is no directory";
      case -24 -> "EMFILE, too many files are open";
      case ENOTCONN -> "ENOTCONN, the process that served it has ended";
      default -> "error number " + -result;
    };
  }
}

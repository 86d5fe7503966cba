package dev.weft.dsm.mmu;

import dev.weft.fabric.memory.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;

/** System calls of Linux by their numbers. Each returns the kernel's result, a negative error number on failure. Any thread. */
final class LinuxCalls {
  /** The system calls that this package uses, with their numbers. */
  enum Call {
    READ(0, 63),
    WRITE(1, 64),
    CLOSE(3, 57),
    MMAP(9, 222),
    MPROTECT(10, 226),
    MUNMAP(11, 215),
    IOCTL(16, 29),
    PREAD(17, 67),
    MINCORE(27, 232),
    MADVISE(28, 233),
    SOCKET(41, 198),
    CONNECT(42, 203),
    SENDMSG(46, 211),
    RECVMSG(47, 212),
    SHUTDOWN(48, 210),
    BIND(49, 200),
    LISTEN(50, 201),
    GETSOCKOPT(55, 209),
    FCNTL(72, 25),
    FTRUNCATE(77, 46),
    PPOLL(271, 73),
    FALLOCATE(285, 47),
    ACCEPT4(288, 242),
    EVENTFD2(290, 19),
    PIPE2(293, 59),
    MEMFD_CREATE(319, 279),
    USERFAULTFD(323, 282),
    PIDFD_OPEN(434, 434);

    private final long number;

    Call(int amd64, int aarch64) {
      number = Syscall.number(amd64, aarch64);
    }
  }

  static final int EPERM = -1;
  static final int ENOENT = -2;
  static final int ESRCH = -3;
  static final int EINTR = -4;
  static final int EAGAIN = -11;
  static final int ENOMEM = -12;
  static final int EFAULT = -14;
  static final int EEXIST = -17;
  static final int EINVAL = -22;
  static final int ENOSYS = -38;

  /** Event of poll(2): there is data to read. */
  static final short POLLIN = 1;
  private static final int CLOSE_ON_EXEC_ALLOW_SEALS = 3;
  private static final int ADD_SEALS = 1033;
  /** F_SEAL_SEAL, F_SEAL_SHRINK and F_SEAL_GROW. */
  private static final int SEALED_SIZE = 7;
  /** Memory of each thread for the argument of a call. */
  private static final ThreadLocal<MemorySegment> ARGUMENT = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(64, 8));

  private LinuxCalls() {}

  /** Why system calls are impossible here; null if they are possible. */
  static String problem() {
    return Syscall.problem("page protection");
  }

  static long call(Call call, long a, long b, long c, long d, long e, long f) {
    return Syscall.call(call.number, a, b, c, d, e, f);
  }

  static long call(Call call, long a, long b, long c) {
    return call(call, a, b, c, 0, 0, 0);
  }

  /** Returns the result, or throws if it is an error. */
  static long require(long result, String what) {
    if (result < 0) {
      throw new MmuException(what + ": " + errorName(result));
    }
    return result;
  }

  static String errorName(long result) {
    return Syscall.errorName(result);
  }

  /** 64 bytes for the argument of one call of this thread. */
  static MemorySegment argument() {
    return ARGUMENT.get();
  }

  /** Memory at an address that the kernel returned. */
  @SuppressWarnings("restricted") // mapped here, by page protection
  static MemorySegment memory(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** The same, unmapped when it is no longer reachable or by {@link #unmap}, whichever comes first. */
  @SuppressWarnings("restricted") // mapped here, by page protection
  static MemorySegment memory(long address, long bytes, AtomicBoolean isUnmapped) {
    return MemorySegment.ofAddress(address).reinterpret(bytes, Arena.ofAuto(), memory -> unmap(memory, isUnmapped));
  }

  /** Unmaps memory, once. */
  static void unmap(MemorySegment memory, AtomicBoolean isUnmapped) {
    if (isUnmapped.compareAndSet(false, true)) {
      call(Call.MUNMAP, memory.address(), memory.byteSize(), 0);
    }
  }

  static int pageBytes() {
    return Syscall.pageBytes();
  }

  static void close(int fd) {
    if (fd >= 0) {
      call(Call.CLOSE, fd, 0, 0);
    }
  }

  /** Makes a memory file of zeros, which takes no memory yet. */
  static int memoryFile(String name, long bytes) {
    int fd;
    try (Arena arena = Arena.ofConfined()) {
      fd = (int) require(call(Call.MEMFD_CREATE, arena.allocateFrom(name).address(), CLOSE_ON_EXEC_ALLOW_SEALS, 0), "memfd_create");
    }
    long result = call(Call.FTRUNCATE, fd, bytes, 0);
    if (result == 0) {
      result = call(Call.FCNTL, fd, ADD_SEALS, SEALED_SIZE); // No process that maps it can shrink it under the others.
    }
    if (result < 0) {
      close(fd);
    }
    require(result, "a memory file of " + bytes + " bytes");
    return fd;
  }

  /** Maps a file for reading and writing, shared with all processes that map it. */
  static long map(int fd, long bytes) {
    return require(call(Call.MMAP, 0, bytes, 3, 1, fd, 0), "mmap of " + bytes + " bytes");
  }

  /** Frees the memory of a part of a file. Processes that map it lose the pages and fault at the next access. */
  static void punch(int fd, long offset, long bytes) {
    require(call(Call.FALLOCATE, fd, 3, offset, bytes, 0, 0), "fallocate, to punch a hole");
  }

  /** Reads a part of a file completely to an address. */
  static void read(int fd, long offset, long address, long bytes) {
    long done = 0;
    while (done < bytes) {
      long count = call(Call.PREAD, fd, address + done, bytes - done, offset + done, 0, 0);
      if (count != EINTR) {
        done += require(count == 0 ? EFAULT : count, "pread");
      }
    }
  }

  /** Makes a counter that wakes a thread that polls it. */
  static int eventFd() {
    return (int) require(call(Call.EVENTFD2, 0, 0x80800, 0), "eventfd");
  }

  /** Wakes a thread that polls an {@link #eventFd}. */
  static void signal(int fd) {
    MemorySegment one = argument();
    one.set(ValueLayout.JAVA_LONG, 0, 1);
    call(Call.WRITE, fd, one.address(), 8);
  }

  /** Takes the pending wake-ups of an {@link #eventFd}. */
  static void clear(int fd) {
    call(Call.READ, fd, argument().address(), 8);
  }

  /**
   * Waits until one of up to eight files is readable, or has ended.
   *
   * @param except bits of the files that the call ignores
   * @return bits of the readable files
   */
  static int poll(int except, int... fds) {
    MemorySegment list = argument();
    for (int i = 0; i < fds.length; i++) {
      list.set(ValueLayout.JAVA_INT, i * 8L, (except & 1 << i) == 0 ? fds[i] : -1);
      list.set(ValueLayout.JAVA_SHORT, i * 8L + 4, POLLIN);
      list.set(ValueLayout.JAVA_SHORT, i * 8L + 6, (short) 0);
    }
    long count = call(Call.PPOLL, list.address(), fds.length, 0, 0, 0, 0);
    int ready = 0;
    if (count != EINTR) {
      require(count, "poll");
      for (int i = 0; i < fds.length; i++) {
        ready |= list.get(ValueLayout.JAVA_SHORT, i * 8L + 6) != 0 ? 1 << i : 0;
      }
    }
    return ready;
  }
}

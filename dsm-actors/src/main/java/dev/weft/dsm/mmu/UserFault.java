package dev.weft.dsm.mmu;

import dev.weft.dsm.mmu.LinuxCalls.Call;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/**
 * A userfaultfd(2): the page faults of one address space, and the write protection of its pages. The application makes it, the node uses it. On
 * failure, calls return the kernel's error number. Any thread.
 */
final class UserFault {
  /** Flags of a fault: a write; a write to a present, write-protected page; a page that the file has but the address space has not. */
  static final int WRITES = 1;
  static final int PROTECTED = 2;
  static final int MINOR = 4;
  /** Size of a message, and offsets of its fields. */
  static final int MESSAGE_BYTES = 32;
  static final int EVENT_AT = 0;
  static final int FLAGS_AT = 8;
  static final int ADDRESS_AT = 16;
  static final byte EVENT_FAULT = 0x12;
  static final byte EVENT_FORK = 0x13;

  private static final long API = code(3, 0x3F, 24);
  private static final long REGISTER = code(3, 0, 32);
  private static final long WAKE = code(2, 2, 16);
  private static final long COPY = code(3, 3, 40);
  private static final long WRITE_PROTECT = code(3, 6, 24);
  private static final long CONTINUE = code(3, 7, 32);
  private static final long POISON = code(3, 8, 32);
  private static final long API_VERSION = 0xAA;
  /** Reporting of write faults, missing and minor faults of memory files, their write protection, poison. */
  private static final long FEATURES = 1 | 1 << 5 | 1 << 10 | 1 << 12 | 1 << 14;
  /** MISSING, WP and MINOR: a second thread that faults while a page is being installed raises MINOR. */
  private static final long REGISTER_ALL = 7;
  private static final int CLOSE_ON_EXEC_NO_BLOCK = 0x80800;
  private static final int USER_MODE_ONLY = 1;
  private static final int WITH_PROTECTION = 2;

  private final int fd;
  private Consumer<String> whenBroken = why -> {};
  private Consumer<String> whenPoisoned = why -> {};
  private boolean isBroken;

  UserFault(int fd) {
    this.fd = fd;
  }

  private static long code(int direction, int number, int bytes) {
    return (long) direction << 30 | (long) bytes << 16 | 0xAA << 8 | number;
  }

  /**
   * Makes one for this process.
   *
   * @throws MmuException if this machine forbids it; the message says what would allow it
   */
  static UserFault create() {
    String problem = LinuxCalls.problem();
    if (problem != null) {
      throw new MmuException(problem);
    }
    long fd = LinuxCalls.call(Call.USERFAULTFD, CLOSE_ON_EXEC_NO_BLOCK, 0, 0);
    if (fd == LinuxCalls.EPERM) {
      fd = LinuxCalls.call(Call.USERFAULTFD, CLOSE_ON_EXEC_NO_BLOCK | USER_MODE_ONLY, 0, 0);
    }
    if (fd < 0) {
      throw new MmuException(refusal(fd));
    }
    MemorySegment api = LinuxCalls.argument();
    api.set(ValueLayout.JAVA_LONG, 0, API_VERSION);
    api.set(ValueLayout.JAVA_LONG, 8, FEATURES);
    long result = LinuxCalls.call(Call.IOCTL, fd, API, api.address());
    if (result < 0) {
      LinuxCalls.close((int) fd);
      throw new MmuException("this kernel's userfaultfd cannot write-protect, resolve minor faults of and poison memory files ("
          + LinuxCalls.errorName(result) + "); Linux 6.6 or later can");
    }
    return new UserFault((int) fd);
  }

  /** What is missing if userfaultfd(2) is refused, and what would allow it. */
  static String refusal(long error) {
    return switch ((int) error) {
      case LinuxCalls.ENOSYS -> "this kernel was built without userfaultfd(2); it needs CONFIG_USERFAULTFD";
      case LinuxCalls.EPERM -> "userfaultfd(2) is not permitted, not even for faults of user mode; a container's seccomp profile must allow it, or the "
          + "process needs CAP_SYS_PTRACE, or the machine sysctl vm.unprivileged_userfaultfd=1";
      default -> "userfaultfd(2) fails: " + LinuxCalls.errorName(error);
    };
  }

  /** Reports, once, that the address space is broken and cannot be served. The listener does not wait. Under the manager's lock. */
  void broken(String why) {
    if (!isBroken) {
      isBroken = true;
      whenBroken.accept(why);
    }
  }

  /** Reports why a whole view is about to fail. The listener does not wait. Under the manager's lock. */
  void poisoned(String why) {
    whenPoisoned.accept(why);
  }

  void whenPoisoned(Consumer<String> told) {
    whenPoisoned = told;
  }

  void whenBroken(Consumer<String> told) {
    whenBroken = told;
  }

  int fd() {
    return fd;
  }

  private long control(long request, long a, long b, long c, long d) {
    MemorySegment argument = LinuxCalls.argument();
    argument.set(ValueLayout.JAVA_LONG, 0, a);
    argument.set(ValueLayout.JAVA_LONG, 8, b);
    argument.set(ValueLayout.JAVA_LONG, 16, c);
    argument.set(ValueLayout.JAVA_LONG, 24, d);
    argument.set(ValueLayout.JAVA_LONG, 32, 0);
    return LinuxCalls.call(Call.IOCTL, fd, request, argument.address());
  }

  /** Registers a range: all its faults go to this descriptor. Called by the process that made it. */
  long register(long address, long bytes) {
    return control(REGISTER, address, bytes, REGISTER_ALL, 0);
  }

  /** Installs pages with this content where there are none, and wakes waiting threads. */
  long copy(long to, long from, long bytes, boolean writable) {
    return control(COPY, to, from, bytes, writable ? 0 : WITH_PROTECTION);
  }

  /** Maps pages that the file has, and wakes waiting threads. */
  long proceed(long address, long bytes, boolean writable) {
    return control(CONTINUE, address, bytes, writable ? 0 : WITH_PROTECTION, 0);
  }

  /** Write-protects these pages; after that, no thread writes them. */
  long protect(long address, long bytes) {
    return control(WRITE_PROTECT, address, bytes, 1, 0);
  }

  /** Makes these pages writable, and wakes waiting threads. */
  long unprotect(long address, long bytes) {
    return control(WRITE_PROTECT, address, bytes, 0, 0);
  }

  /** Poisons pages that are not present: later accesses raise SIGBUS, also for waiting threads. */
  long poison(long address, long bytes) {
    unprotect(address, bytes); // The kernel remembers the write protection of a dropped page, and does not put poison over it.
    long result = control(POISON, address, bytes, 0, 0);
    wake(address, bytes);
    return result;
  }

  /** Wakes threads that wait for these pages; they try again. */
  long wake(long address, long bytes) {
    return control(WAKE, address, bytes, 0, 0);
  }

  /** Takes as many faults as there are and {@code to} holds. Returns their bytes, or an error number. Does not wait. */
  long read(MemorySegment to) {
    return LinuxCalls.call(Call.READ, fd, to.address(), to.byteSize());
  }

  void close() {
    LinuxCalls.close(fd);
  }
}

package dev.weft.tripwire.ip;

import dev.weft.fabric.memory.CLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * A network device of Linux whose packets this process reads and writes, through {@code /dev/net/tun}. It exists until it is closed, even if it is
 * moved into another network namespace. Needs CAP_NET_ADMIN. One thread reads, one writes; the owner closes it after both have ended.
 */
public final class TunDevice implements AutoCloseable {
  private static final int O_RDWR = 2;
  private static final int O_NONBLOCK = 0x800;
  private static final long TUNSETIFF = 0x400454caL;
  private static final short IFF_TUN = 1;
  private static final short IFF_NO_PI = 0x1000;
  private static final int IFREQ_BYTES = 40;
  private static final int NAME_MAX = 15;
  private static final int FLAGS_OFFSET = 16;
  private static final short POLLIN = 1;
  private static final short POLLOUT = 4;
  private static final int EAGAIN = 11;
  private static final int EINTR = 4;

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final MethodHandle OPEN = find("open", FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT), 2);
  private static final MethodHandle IOCTL = find("ioctl", FunctionDescriptor.of(INT, INT, LONG, ValueLayout.ADDRESS), 2);
  private static final MethodHandle READ = find("read", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG), -1);
  private static final MethodHandle WRITE = find("write", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG), -1);
  private static final MethodHandle POLL = find("poll", FunctionDescriptor.of(INT, ValueLayout.ADDRESS, LONG, INT), -1);
  private static final MethodHandle CLOSE = find("close", FunctionDescriptor.of(INT, INT), -1);

  private final String name;
  private final int descriptor;
  private final Lane reading = new Lane(POLLIN);
  private final Lane writing = new Lane(POLLOUT);

  /** The memory of one thread for its calls. */
  private final class Lane {
    final MemorySegment state = Arena.ofAuto().allocate(STATE);
    final MemorySegment pollfd = Arena.ofAuto().allocate(8, 4);
    final short events;

    Lane(short events) {
      this.events = events;
    }

    int errno() {
      return (int) ERRNO.get(state, 0L);
    }

    boolean await(int maxMs) throws IOException {
      pollfd.set(INT, 0, descriptor);
      pollfd.set(ValueLayout.JAVA_SHORT, 4, events);
      int count = (int) call(() -> (int) POLL.invokeExact(state, pollfd, 1L, maxMs));
      if (count < 0 && errno() != EINTR) {
        throw new IOException("poll of " + name + " failed, errno " + errno());
      }
      return count > 0;
    }
  }

  @FunctionalInterface
  private interface Call {
    long run() throws Throwable;
  }

  private TunDevice(String name, int descriptor) {
    this.name = name;
    this.descriptor = descriptor;
  }

  private static MethodHandle find(String function, FunctionDescriptor shape, int fixedArguments) {
    Linker.Option errno = Linker.Option.captureCallState("errno");
    Linker.Option[] options = fixedArguments < 0 ? new Linker.Option[] {errno}
        : new Linker.Option[] {errno, Linker.Option.firstVariadicArg(fixedArguments)};
    return CLibrary.find(function, shape, options);
  }

  private static long call(Call call) {
    try {
      return call.run();
    } catch (Throwable e) {
      throw new IllegalStateException("the C library could not be called", e);
    }
  }

  /**
   * Makes a device with this name.
   *
   * @param name 1 to 15 characters
   * @throws IOException if this machine has no TUN devices, or this process lacks the permission
   */
  public static TunDevice open(String name) throws IOException {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length < 1 || bytes.length > NAME_MAX) {
      throw new IllegalArgumentException("a device is named " + name + ", want 1 to " + NAME_MAX + " characters");
    }
    if (OPEN == null || IOCTL == null || READ == null || WRITE == null || POLL == null || CLOSE == null) {
      throw new IOException("the C library of this machine lacks a function that makes devices");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      MemorySegment path = arena.allocateFrom("/dev/net/tun");
      int descriptor = (int) call(() -> (int) OPEN.invokeExact(state, path, O_RDWR | O_NONBLOCK));
      if (descriptor < 0) {
        throw new IOException("/dev/net/tun cannot be opened, errno " + (int) ERRNO.get(state, 0L));
      }
      MemorySegment request = arena.allocate(IFREQ_BYTES, 8);
      MemorySegment.copy(bytes, 0, request, ValueLayout.JAVA_BYTE, 0, bytes.length);
      request.set(ValueLayout.JAVA_SHORT, FLAGS_OFFSET, (short) (IFF_TUN | IFF_NO_PI));
      TunDevice device = new TunDevice(name, descriptor);
      if (call(() -> (int) IOCTL.invokeExact(state, descriptor, TUNSETIFF, request)) < 0) {
        int errno = (int) ERRNO.get(state, 0L);
        device.close();
        throw new IOException("no TUN device " + name + " could be made, errno " + errno);
      }
      return device;
    }
  }

  public String name() {
    return name;
  }

  /** Reads a packet; waits at most {@code maxMs}. Returns its length, 0 if none came. */
  int read(MemorySegment into, int maxMs) throws IOException {
    long count = call(() -> (long) READ.invokeExact(reading.state, descriptor, into, into.byteSize()));
    if (count < 0 && reading.errno() == EAGAIN && reading.await(maxMs)) {
      count = call(() -> (long) READ.invokeExact(reading.state, descriptor, into, into.byteSize()));
    }
    if (count < 0 && reading.errno() != EAGAIN && reading.errno() != EINTR) {
      throw new IOException("read from " + name + " failed, errno " + reading.errno());
    }
    return (int) Math.max(count, 0);
  }

  /** Writes a packet; returns false if the kernel refuses it: the device is down, or the packet is invalid. */
  boolean write(MemorySegment packet) {
    return call(() -> (long) WRITE.invokeExact(writing.state, descriptor, packet, packet.byteSize())) == packet.byteSize();
  }

  /** Removes the device. */
  @Override
  public void close() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      call(() -> (int) CLOSE.invokeExact(state, descriptor));
    }
  }
}

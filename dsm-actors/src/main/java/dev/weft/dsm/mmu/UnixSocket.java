package dev.weft.dsm.mmu;

import dev.weft.dsm.mmu.LinuxCalls.Call;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A Unix socket that keeps message boundaries (SOCK_SEQPACKET) and passes open files. Only one thread at a time may send or receive. */
final class UnixSocket implements AutoCloseable {
  /** Maximum number of files in one message. */
  private static final int FILES_MAX = 4;
  private static final int PATH_BYTES_MAX = 107;
  private static final int UNIX = 1;
  private static final int SEQPACKET_CLOSE_ON_EXEC = 5 | 0x80000;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int SOCKET_LEVEL = 1;
  private static final int RIGHTS = 1;
  private static final int PEER_CREDENTIALS = 17;
  private static final int PEER_PIDFD = 77;
  private static final int NO_SIGNAL = 0x4000;
  /** Received descriptors are closed on exec; a message longer than the buffer reports its whole length. */
  private static final int RECEIVED_CLOSE_ON_EXEC_WHOLE_LENGTH = 0x40000000 | 0x20;
  private static final int BOTH_WAYS = 2;
  private static final int HEADER_BYTES = 56;
  private static final int CONTROL_BYTES = 16 + FILES_MAX * 4;

  private final int fd;
  private final MemorySegment header = Arena.ofAuto().allocate(HEADER_BYTES + 16 + CONTROL_BYTES, 8);
  private final MemorySegment vector = header.asSlice(HEADER_BYTES, 16);
  private final MemorySegment control = header.asSlice(HEADER_BYTES + 16, CONTROL_BYTES);
  private int[] files = {};

  UnixSocket(int fd) {
    this.fd = fd;
  }

  private static UnixSocket create() {
    return new UnixSocket((int) LinuxCalls.require(LinuxCalls.call(Call.SOCKET, UNIX, SEQPACKET_CLOSE_ON_EXEC, 0), "socket"));
  }

  static UnixSocket listen(Path path, int backlog) {
    UnixSocket socket = create();
    try {
      LinuxCalls.require(socket.withAddress(Call.BIND, path), "bind to " + path);
      LinuxCalls.require(LinuxCalls.call(Call.LISTEN, socket.fd, backlog, 0), "listen at " + path);
      return socket;
    } catch (RuntimeException refused) {
      socket.close();
      throw refused;
    }
  }

  static UnixSocket connect(Path path) {
    UnixSocket socket = create();
    long result = socket.withAddress(Call.CONNECT, path);
    if (result < 0) {
      socket.close();
      throw new MmuException("no node serves applications at " + path + " (" + LinuxCalls.errorName(result) + "); 'weft dsm serve' does");
    }
    return socket;
  }

  private long withAddress(Call call, Path path) {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    if (name.length > PATH_BYTES_MAX) {
      throw new MmuException("the path " + path + " has " + name.length + " bytes, a Unix socket's may have " + PATH_BYTES_MAX);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(PATH_BYTES_MAX + 3);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) UNIX);
      MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, 2, name.length);
      return LinuxCalls.call(call, fd, address.address(), name.length + 3);
    }
  }

  int fd() {
    return fd;
  }

  /** Accepts the next connection. */
  UnixSocket accept() {
    return new UnixSocket((int) LinuxCalls.require(LinuxCalls.call(Call.ACCEPT4, fd, 0, 0, CLOSE_ON_EXEC, 0, 0), "accept"));
  }

  /** Process, user and group of the peer. */
  int[] peer() {
    MemorySegment three = option(PEER_CREDENTIALS, 12);
    return three.asSlice(0, 12).toArray(ValueLayout.JAVA_INT);
  }

  /** A descriptor of the peer process, which tells when the process has ended. */
  int peerProcess() {
    return option(PEER_PIDFD, 4).get(ValueLayout.JAVA_INT, 0);
  }

  private MemorySegment option(int option, int bytes) {
    MemorySegment value = LinuxCalls.argument();
    value.set(ValueLayout.JAVA_INT, 16, bytes);
    LinuxCalls.require(LinuxCalls.call(Call.GETSOCKOPT, fd, SOCKET_LEVEL, option, value.address(), value.address() + 16, 0),
        "getsockopt, to know who connects");
    return value;
  }

  private void prepare(MemorySegment message, int controlBytes) {
    header.fill((byte) 0);
    vector.set(ValueLayout.JAVA_LONG, 0, message.address());
    vector.set(ValueLayout.JAVA_LONG, 8, message.byteSize());
    header.set(ValueLayout.JAVA_LONG, 16, vector.address());
    header.set(ValueLayout.JAVA_LONG, 24, 1);
    header.set(ValueLayout.JAVA_LONG, 32, controlBytes == 0 ? 0 : control.address());
    header.set(ValueLayout.JAVA_LONG, 40, controlBytes);
  }

  /** Sends a message with open files; returns false if there is no receiver. */
  boolean send(MemorySegment message, int... with) {
    int controlBytes = with.length == 0 ? 0 : 16 + (with.length * 4 + 7 & -8);
    prepare(message, controlBytes);
    if (with.length > 0) {
      control.set(ValueLayout.JAVA_LONG, 0, 16 + with.length * 4L);
      control.set(ValueLayout.JAVA_INT, 8, SOCKET_LEVEL);
      control.set(ValueLayout.JAVA_INT, 12, RIGHTS);
      for (int i = 0; i < with.length; i++) {
        control.set(ValueLayout.JAVA_INT, 16 + i * 4L, with[i]);
      }
    }
    long sent;
    do {
      sent = LinuxCalls.call(Call.SENDMSG, fd, header.address(), NO_SIGNAL);
    } while (sent == LinuxCalls.EINTR);
    return sent == message.byteSize();
  }

  /** Waits for a message. Returns its length, which may exceed the buffer, and 0 at the end. {@link #takeFiles} returns its files. */
  int receive(MemorySegment message) {
    closeFiles();
    prepare(message, CONTROL_BYTES);
    long count;
    do {
      count = LinuxCalls.call(Call.RECVMSG, fd, header.address(), RECEIVED_CLOSE_ON_EXEC_WHOLE_LENGTH);
    } while (count == LinuxCalls.EINTR);
    long controlBytes = header.get(ValueLayout.JAVA_LONG, 40);
    if (count >= 0 && controlBytes >= 16 && control.get(ValueLayout.JAVA_INT, 8) == SOCKET_LEVEL && control.get(ValueLayout.JAVA_INT, 12) == RIGHTS) {
      files = control.asSlice(16, control.get(ValueLayout.JAVA_LONG, 0) - 16).toArray(ValueLayout.JAVA_INT);
    }
    return (int) Math.max(count, 0);
  }

  /** The files of the last message; the caller must close them. */
  int[] takeFiles() {
    int[] taken = files;
    files = new int[0];
    return taken;
  }

  private void closeFiles() {
    for (int file : takeFiles()) {
      LinuxCalls.close(file);
    }
  }

  /** Ends the wait for a message. Any thread. */
  void shutdown() {
    LinuxCalls.call(Call.SHUTDOWN, fd, BOTH_WAYS, 0);
  }

  @Override
  public void close() {
    closeFiles();
    LinuxCalls.close(fd);
  }
}

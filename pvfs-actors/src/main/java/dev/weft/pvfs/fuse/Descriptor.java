package dev.weft.pvfs.fuse;

import dev.weft.pvfs.fuse.LinuxCalls.Call;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** An open {@code /dev/fuse}. It is closed after its last use has ended, so that no thread uses its number for another file. Any thread. */
final class Descriptor implements ReplyPort {
  private final int fd;
  private final AtomicInteger users = new AtomicInteger(1);
  private final AtomicBoolean isClosed = new AtomicBoolean();

  Descriptor(int fd) {
    this.fd = fd;
  }

  int fd() {
    return fd;
  }

  /** Begins a use; returns false if it is closed. */
  boolean enter() {
    int count = users.get();
    while (count > 0 && !users.compareAndSet(count, count + 1)) {
      count = users.get();
    }
    return count > 0;
  }

  void leave() {
    if (users.decrementAndGet() == 0) {
      LinuxCalls.close(fd);
    }
  }

  /** Closes it after the uses that have begun. */
  void close() {
    if (isClosed.compareAndSet(false, true)) {
      leave();
    }
  }

  /** Waits for a request, within a use; returns its bytes, or a negative error number. */
  int receive(MemorySegment memory) {
    return (int) LinuxCalls.call(Call.READ, fd, memory.address(), memory.byteSize());
  }

  @Override
  public int send(MemorySegment vector, int count) {
    if (!enter()) {
      return LinuxCalls.ENODEV;
    }
    try {
      return (int) Math.min(LinuxCalls.call(Call.WRITEV, fd, vector.address(), count), 0);
    } finally {
      leave();
    }
  }
}

package dev.weft.pvfs.fuse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Unsolicited messages to the kernel: {@code struct fuse_notify_inval_inode_out} and {@code fuse_notify_inval_entry_out}. Any thread. */
final class Notifications implements FuseNotifier {
  private final ReplyPort port;

  Notifications(ReplyPort port) {
    this.port = port;
  }

  @Override
  public boolean invalidateInode(long inode, long offset, long bytes) {
    MemorySegment body = ReplyMemory.mine().body();
    body.set(ValueLayout.JAVA_LONG, 0, inode);
    body.set(ValueLayout.JAVA_LONG, 8, offset);
    body.set(ValueLayout.JAVA_LONG, 16, bytes);
    return sent(ReplyMemory.mine().send(port, 0, Protocol.NOTIFY_INVAL_INODE, 24));
  }

  @Override
  public boolean invalidateEntry(long parent, byte[] name) {
    if (name.length == 0 || name.length > Protocol.NAME_BYTES_MAX) {
      throw new IllegalArgumentException("a name has 1 to " + Protocol.NAME_BYTES_MAX + " bytes, not " + name.length);
    }
    MemorySegment body = ReplyMemory.mine().body();
    body.set(ValueLayout.JAVA_LONG, 0, parent);
    body.set(ValueLayout.JAVA_INT, 8, name.length);
    body.set(ValueLayout.JAVA_INT, 12, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ended = arena.allocate(name.length + 1L);
      MemorySegment.copy(name, 0, ended, ValueLayout.JAVA_BYTE, 0, name.length);
      return sent(ReplyMemory.mine().send(port, 0, Protocol.NOTIFY_INVAL_ENTRY, 16, ended));
    }
  }

  private static boolean sent(int result) {
    return switch (result) {
      case 0 -> true;
      case LinuxCalls.ENOENT, LinuxCalls.ENODEV, LinuxCalls.ENOTCONN, LinuxCalls.ECONNABORTED -> false;
      default -> throw new IllegalStateException("the kernel refuses an invalidation: " + LinuxCalls.errorName(result));
    };
  }
}

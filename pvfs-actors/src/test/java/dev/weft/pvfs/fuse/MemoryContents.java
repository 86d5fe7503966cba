package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.EEXIST;
import static dev.weft.pvfs.Errno.ENODATA;
import static dev.weft.pvfs.Errno.ENOSPC;
import static dev.weft.pvfs.Errno.ENOTSUP;
import static dev.weft.pvfs.Errno.ESTALE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What {@link MemoryFileSystem} has in its files: their bytes and their extended attributes. */
abstract class MemoryContents implements FuseFileSystem {
  private static final int O_APPEND = 02000;
  private static final int KEEP_SIZE = 1;
  private static final int PUNCH_HOLE = 2;
  private static final int ZERO_RANGE = 16;
  private static final int SEEK_HOLE = 4;
  private static final int ENXIO = 6;
  private static final int COPY_BYTES = 1 << 20;

  final ChunkPool pool;
  final Map<Long, MemoryInode> inodes = new ConcurrentHashMap<>();

  MemoryContents(long bytesMax) {
    pool = new ChunkPool(bytesMax);
  }

  static String key(byte[] name) {
    return new String(name, StandardCharsets.ISO_8859_1);
  }

  /** The inode, or an answer that there is none. */
  final MemoryInode inode(long number, FuseReply reply) {
    MemoryInode inode = inodes.get(number);
    if (inode == null) {
      reply.fail(ESTALE);
    }
    return inode;
  }

  @Override
  public void read(long number, long handle, long offset, int size, int flags, FuseReply.Data reply) {
    MemoryInode inode = inode(number, reply);
    if (inode != null) {
      inode.content.read(offset, size, reply);
    }
  }

  @Override
  public void write(long number, long handle, long offset, MemorySegment data, int flags, boolean isWriteback, boolean dropsPrivilege,
      FuseReply.Count reply) {
    MemoryInode inode = inode(number, reply);
    if (inode == null) {
      return;
    }
    if (!inode.content.write((flags & O_APPEND) != 0 && !isWriteback ? -1 : offset, data)) {
      reply.fail(ENOSPC);
      return;
    }
    synchronized (this) {
      inode.changed();
      if (dropsPrivilege) {
        inode.dropPrivilege();
      }
    }
    reply.count(data.byteSize());
  }

  @Override
  public synchronized void setxattr(long number, byte[] name, byte[] value, int flags, FuseReply.Done reply) {
    MemoryInode inode = inode(number, reply);
    if (inode == null) {
      return;
    }
    boolean isThere = inode.attributes.containsKey(key(name));
    if (isThere && flags == 1) {
      reply.fail(EEXIST);
    } else if (!isThere && flags == 2) {
      reply.fail(ENODATA);
    } else {
      inode.attributes.put(key(name), value);
      inode.touched();
      reply.done();
    }
  }

  @Override
  public synchronized void getxattr(long number, byte[] name, FuseReply.Value reply) {
    MemoryInode inode = inode(number, reply);
    if (inode != null) {
      byte[] value = inode.attributes.get(key(name));
      if (value == null) {
        reply.fail(ENODATA);
      } else {
        reply.value(value);
      }
    }
  }

  @Override
  public synchronized void listxattr(long number, FuseReply.Value reply) {
    MemoryInode inode = inode(number, reply);
    if (inode != null) {
      StringBuilder names = new StringBuilder();
      inode.attributes.keySet().forEach(name -> names.append(name).append('\0'));
      reply.value(names.toString().getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  @Override
  public synchronized void removexattr(long number, byte[] name, FuseReply.Done reply) {
    MemoryInode inode = inode(number, reply);
    if (inode != null) {
      if (inode.attributes.remove(key(name)) == null) {
        reply.fail(ENODATA);
      } else {
        inode.touched();
        reply.done();
      }
    }
  }

  @Override
  public void fallocate(long number, long handle, int mode, long offset, long bytes, FuseReply.Done reply) {
    MemoryInode inode = inode(number, reply);
    if (inode == null) {
      return;
    }
    boolean keepsSize = (mode & KEEP_SIZE) != 0;
    switch (mode & ~KEEP_SIZE) {
      case 0 -> {
        if (!inode.content.reserve(offset, bytes, keepsSize)) {
          reply.fail(ENOSPC);
          return;
        }
      }
      case PUNCH_HOLE -> inode.content.zero(offset, bytes, true);
      case ZERO_RANGE -> inode.content.zero(offset, bytes, keepsSize);
      default -> {
        reply.fail(ENOTSUP);
        return;
      }
    }
    synchronized (this) {
      inode.changed();
    }
    reply.done();
  }

  @Override
  public void lseek(long number, long handle, long offset, int whence, FuseReply.Offset reply) {
    MemoryInode inode = inode(number, reply);
    if (inode != null) {
      long at = inode.content.seek(offset, whence == SEEK_HOLE);
      if (at < 0) {
        reply.fail(ENXIO);
      } else {
        reply.offset(at);
      }
    }
  }

  @Override
  public void copyFileRange(long number, long handle, long offset, long numberOut, long handleOut, long offsetOut, long bytes, long flags,
      FuseReply.Count reply) {
    MemoryInode from = inode(number, reply);
    MemoryInode to = from == null ? null : inode(numberOut, reply);
    if (to == null) {
      return;
    }
    long done = 0;
    while (done < bytes) {
      byte[] part = from.content.bytes(offset + done, (int) Math.min(COPY_BYTES, bytes - done));
      if (part.length == 0) {
        break;
      }
      if (!to.content.write(offsetOut + done, MemorySegment.ofArray(part))) {
        reply.fail(ENOSPC);
        return;
      }
      done += part.length;
    }
    synchronized (this) {
      to.changed();
    }
    reply.count(done);
  }
}

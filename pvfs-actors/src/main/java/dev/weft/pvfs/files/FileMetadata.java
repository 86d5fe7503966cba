package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.wire.LongValue;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Attributes that the manager keeps for files beside their names, by inode number. Any thread. */
public final class FileMetadata {
  /** Leaves a time or an owner unchanged. */
  public static final long KEEP = Long.MIN_VALUE;

  /**
   * Memory or disk space of all daemons together.
   *
   * @param freeBytes space left for new data
   */
  public record Space(long totalBytes, long freeBytes) {}

  private final PvfsFileSystem files;
  private final Engine engine;

  FileMetadata(PvfsFileSystem files, Engine engine) {
    this.files = files;
    this.engine = engine;
  }

  /** Sets permissions. */
  public void setMode(long inode, int mode) throws PvfsException {
    PvfsFileSystem.requireMode(mode);
    set(inode, MetaRequest.SET_MODE, mode, 0, 0, 0, 0);
  }

  /** Sets user and group; either may be {@link #KEEP}. */
  public void setOwner(long inode, long uid, long gid) throws PvfsException {
    long mask = (uid == KEEP ? 0 : MetaRequest.SET_UID) | (gid == KEEP ? 0 : MetaRequest.SET_GID);
    set(inode, mask, 0, uid == KEEP ? 0 : uid, gid == KEEP ? 0 : gid, 0, 0);
  }

  /** Sets the times of the last read and the last change, in nanoseconds since 1970; either may be {@link #KEEP}. */
  public void setTimes(long inode, long atimeNs, long mtimeNs) throws PvfsException {
    long mask = (atimeNs == KEEP ? 0 : MetaRequest.SET_ATIME) | (mtimeNs == KEEP ? 0 : MetaRequest.SET_MTIME);
    set(inode, mask, 0, 0, 0, atimeNs == KEEP ? 0 : atimeNs, mtimeNs == KEEP ? 0 : mtimeNs);
  }

  private void set(long inode, long mask, long mode, long uid, long gid, long atimeNs, long mtimeNs) throws PvfsException {
    if (mask != 0) {
      engine.ask(MetaRequest.of(MetaOp.SETATTR, engine.caller(), inode, mask, mode, uid, gid, 0, atimeNs, mtimeNs), "attributes of inode " + inode);
    }
  }

  /** Returns the value of an extended attribute; ENODATA if the file has none of that name. */
  public byte[] xattr(long inode, String name) throws PvfsException {
    return whole(MetaRequest.of(MetaOp.GETXATTR, engine.caller(), inode, 0).named(name), name + " of inode " + inode);
  }

  private byte[] whole(MetaRequest request, String what) throws PvfsException {
    return Engine.require(engine.meta().values().read(engine.meta()::ask, request), what).value();
  }

  /** Sets an extended attribute; E2BIG beyond {@link LongValue#BYTES_MAX}. */
  public void setXattr(long inode, String name, byte[] value) throws PvfsException {
    MetaRequest request = MetaRequest.of(MetaOp.SETXATTR, engine.caller(), inode, 0).named(name);
    Engine.require(engine.meta().values().write(engine.meta()::ask, request, value), name + " of inode " + inode);
  }

  /** Removes an extended attribute. */
  public void removeXattr(long inode, String name) throws PvfsException {
    engine.ask(MetaRequest.of(MetaOp.REMOVEXATTR, engine.caller(), inode).named(name), name + " of inode " + inode);
  }

  /** Returns the names of the extended attributes. */
  public List<String> xattrs(long inode) throws PvfsException {
    byte[] names = whole(MetaRequest.of(MetaOp.LISTXATTR, engine.caller(), inode, 0), "attributes of inode " + inode);
    List<String> all = new ArrayList<>();
    int start = 0;
    for (int at = 0; at < names.length; at++) {
      if (names[at] == 0) {
        all.add(new String(names, start, at - start, StandardCharsets.UTF_8));
        start = at + 1;
      }
    }
    return all;
  }

  /** Returns the daemons' space. A disk that several daemons share counts once. */
  public Space space() throws PvfsException {
    IoTask task = engine.data().room(PvfsFileSystem.ROOT);
    if (task.errno() != Errno.OK) {
      throw new PvfsException(task.errno(), "space of " + files.daemons().size() + " I/O daemons");
    }
    return new Space(task.totalBytes(), task.freeBytes());
  }
}

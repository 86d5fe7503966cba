package dev.weft.pvfs.nio;

import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.layout.Striping;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;

/** The common part of both kinds of channels: the file, the permitted operations, and what happens at its close. */
final class OpenFile implements Closeable {
  final PvfsPath path;
  final OpenWish wish;
  final PvfsFile file;
  private final Closeable registered;

  private OpenFile(PvfsPath path, OpenWish wish, PvfsFile file, Closeable registered) {
    this.path = path;
    this.wish = wish;
    this.file = file;
    this.registered = registered;
  }

  /** @param registered is closed with the file */
  static OpenFile open(PvfsPath path, OpenWish wish, NewFile made, Closeable registered) throws IOException {
    PvfsFile file = Failures.translated(path, null, () -> path.getFileSystem().files().open(path.text(), made.wish(), made.mode(), wish.forFile()));
    return new OpenFile(path, wish, file, registered);
  }

  void requireReadable() {
    if (!wish.reads()) {
      throw new NonReadableChannelException();
    }
  }

  void requireWritable() {
    if (!wish.writes()) {
      throw new NonWritableChannelException();
    }
  }

  /** A shared lock needs read access, an exclusive one write access. */
  void requireLockable(boolean isShared) {
    if (isShared) {
      requireReadable();
    } else {
      requireWritable();
    }
  }

  static void requirePosition(long position, String what) {
    if (position < 0) {
      throw new IllegalArgumentException(what + " is " + position + ", must be 0 or more");
    }
  }

  /** Reads; returns -1 at the end, as channels do. */
  int read(ByteBuffer to, long position) throws IOException {
    if (to.isReadOnly()) {
      throw new IllegalArgumentException("a buffer to read into that is read-only");
    }
    if (!to.hasRemaining()) {
      return 0;
    }
    ByteBuffer within = within(to, position);
    if (!within.hasRemaining()) {
      return -1;
    }
    int bytes = file.read(within, position);
    to.position(within.position());
    return bytes == 0 ? -1 : bytes;
  }

  /** Returns the part of a buffer that a file can have bytes for from {@code position} on. */
  static ByteBuffer within(ByteBuffer to, long position) {
    return to.duplicate().limit(to.position() + Math.clamp(Striping.FILE_BYTES_MAX - position, 0, to.remaining()));
  }

  /** @throws IOException if no file can be so long */
  void requireReach(ByteBuffer from, long position) throws IOException {
    if (!wish.appends() && position > Striping.FILE_BYTES_MAX - from.remaining()) {
      throw failure(new PvfsException(Errno.EFBIG, from.remaining() + " bytes from " + position + " of " + path));
    }
  }

  int write(ByteBuffer from, long position) throws IOException {
    requireReach(from, position);
    int bytes = file.write(from, position);
    if (wish.syncs()) {
      file.sync();
    }
    return bytes;
  }

  /** Only shortens: a channel's truncate does not make a file longer. */
  void cut(long bytes) throws IOException {
    if (bytes < file.size()) {
      file.truncate(bytes);
    }
  }

  IOException failure(PvfsException failed) {
    return Failures.of(failed, path, null);
  }

  @Override
  public void close() throws IOException {
    registered.close();
    path.getFileSystem().locks().forget(this);
    try {
      file.close();
    } catch (PvfsException failed) {
      if (failed.errno() != Errno.ESHUTDOWN) {
        throw failure(failed);
      }
    } catch (IllegalStateException ended) {
      throw Failures.ended(ended);
    } finally {
      if (wish.deletesOnClose()) {
        delete();
      }
    }
  }

  /** Deletes through the client, not the provider: the file system may be closing. */
  private void delete() throws IOException {
    try {
      Interrupts.putAside(() -> {
        path.getFileSystem().files().unlink(path.text());
        return null;
      });
    } catch (PvfsException failed) {
      if (failed.errno() != Errno.ENOENT) { // Another client may have removed it first.
        throw failure(failed);
      }
    }
  }
}

package dev.weft.pvfs.service;

import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.FileMetadata;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;

/**
 * Copies bytes of a command into the file system and out of it. It opens no file of this host: the command does, with the rights of its user. A copy
 * into the file system gets a temporary name and is then renamed, so the target is always complete: the old file or the new one. Any thread.
 */
final class Copies {
  private static final String TEMPORARY = ".weft-cp-";
  private static final int TEMPORARY_NAMES = 1000;
  private static final int PIECE_BYTES = 8 << 20;
  private static final int LINKS_MAX = 40;
  private static final int PERMISSIONS = 07777;

  private final PvfsFileSystem files;
  private final Semaphore free;
  private final int max;

  /** @param max copies at a time, each with a buffer of 8 MiB */
  Copies(PvfsFileSystem files, int max) {
    this.files = files;
    this.max = max;
    free = new Semaphore(max);
  }

  private interface Copying {
    void run() throws IOException;
  }

  private void inTurn(Copying copying) throws IOException {
    if (!free.tryAcquire()) {
      throw new CommandFailure(max + " copies are under way, as many as weft.pvfs.commands.copies-max allows; repeat the command when one of them has ended");
    }
    try {
      copying.run();
    } finally {
      free.release();
    }
  }

  /**
   * Makes a file, in place of an existing one. The new file keeps the owner, permissions and extended attributes of the old one and, without a wish,
   * its striping. Other names of the old file stay with the old file.
   *
   * @param mode permissions of a file that does not replace another one
   * @param local the file that the bytes come from
   */
  void put(ReadableByteChannel from, String path, StripingWish wish, int mode, LocalIdentity local) throws IOException {
    inTurn(() -> {
      String at = followed(path);
      FileAttributes old = existing(at);
      requireReplaceable(old, path, local);
      StripingWish wanted = wanted(old, path, wish);
      MemorySegment piece = Arena.ofAuto().allocate(PIECE_BYTES, 4096);
      long bytes = fill(from, piece); // Before anything is created: a pipe may never bring data.
      int first = old == null ? mode : old.mode() & 0700; // Only the owner may read it before it is complete.
      String temporary = write(from, piece, bytes, at, first, wanted);
      boolean isDone = false;
      try {
        keep(old, temporary);
        files.rename(temporary, at);
        isDone = true;
      } finally {
        if (!isDone) {
          remove(temporary);
        }
      }
    });
  }

  private void requireReplaceable(FileAttributes old, String path, LocalIdentity local) throws IOException {
    if (old == null) {
      return;
    }
    if (!old.isRegular()) {
      throw new PvfsException(old.isDirectory() ? Errno.EISDIR : Errno.EINVAL, "copy to " + path);
    }
    requireOther(old, path, local);
  }

  private static void requireOther(FileAttributes file, String path, LocalIdentity local) {
    if (local.isOf(file)) {
      throw new CommandFailure("pvfs:" + path + " and the other file are the same file, seen through a mount; nothing was copied");
    }
  }

  /** Follows symbolic links; returns the path itself if it is none. */
  private String followed(String path) throws PvfsException {
    String at = path;
    for (int links = 0; links < LINKS_MAX; links++) {
      FileAttributes found = existing(at, false);
      if (found == null || !found.isSymlink()) {
        return at;
      }
      String target = files.readSymlink(at);
      at = target.startsWith("/") ? target : parent(at) + target;
    }
    throw new PvfsException(Errno.ELOOP, "copy to " + path);
  }

  private FileAttributes existing(String path) throws PvfsException {
    return existing(path, true);
  }

  private FileAttributes existing(String path, boolean followLast) throws PvfsException {
    try {
      return files.stat(path, followLast).attributes(); // With the times that a mount shows.
    } catch (PvfsException failed) {
      if (failed.errno() == Errno.ENOENT) {
        return null;
      }
      throw failed;
    }
  }

  /** Returns the parent with its slash. */
  private static String parent(String path) {
    int end = path.length();
    while (end > 0 && path.charAt(end - 1) == '/') {
      end--;
    }
    return path.substring(0, path.lastIndexOf('/', end - 1) + 1);
  }

  private String write(ReadableByteChannel from, MemorySegment piece, long first, String at, int mode, StripingWish wish) throws IOException {
    boolean isDone = false;
    String[] name = {null};
    try (PvfsFile to = create(at, mode, wish, name)) {
      long done = 0;
      for (long bytes = first; bytes > 0; bytes = fill(from, piece)) {
        write(to, piece.asSlice(0, bytes), done, at);
        done += bytes;
      }
      isDone = true;
    } finally {
      if (!isDone && name[0] != null) {
        remove(name[0]);
      }
    }
    return name[0];
  }

  private PvfsFile create(String at, int mode, StripingWish wish, String[] name) throws PvfsException {
    for (int i = 0; i < TEMPORARY_NAMES; i++) {
      String temporary = parent(at) + TEMPORARY + ProcessHandle.current().pid() + "-" + i;
      try {
        PvfsFile made = files.open(temporary, wish, mode, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        name[0] = temporary;
        return made;
      } catch (PvfsException failed) {
        if (failed.errno() != Errno.EEXIST) {
          throw instead(failed, "create " + at);
        }
      }
    }
    throw new PvfsException(Errno.EEXIST, "create " + parent(at) + TEMPORARY + "...");
  }

  /** Replaces the temporary name in an error by the name that the user knows. */
  private static PvfsException instead(PvfsException failed, String what) {
    PvfsException told = new PvfsException(failed.errno(), what);
    told.initCause(failed);
    return told;
  }

  private static void write(PvfsFile to, MemorySegment piece, long offset, String at) throws PvfsException {
    try {
      to.write(piece, offset);
    } catch (PvfsException failed) {
      throw instead(failed, "write " + at);
    }
  }

  private StripingWish wanted(FileAttributes old, String path, StripingWish wish) throws PvfsException {
    int daemons = files.daemons().size();
    Striping had = old == null ? null : old.striping();
    StripingWish wanted = had == null ? wish : wish.orElse(new StripingWish(had.base(), had.count(), had.stripeBytes()).fitted(daemons));
    try {
      wanted.resolve(daemons, 0);
      return wanted;
    } catch (IllegalArgumentException wrong) {
      throw new PvfsException(Errno.EINVAL, "create " + path + ": " + wrong.getMessage());
    }
  }

  private void keep(FileAttributes old, String temporary) throws PvfsException {
    if (old == null) {
      return;
    }
    FileMetadata metadata = files.metadata();
    long inode = files.attributes(temporary).inode();
    for (String name : metadata.xattrs(old.inode())) {
      metadata.setXattr(inode, name, metadata.xattr(old.inode(), name));
    }
    metadata.setOwner(inode, Integer.toUnsignedLong(old.uid()), Integer.toUnsignedLong(old.gid()));
    metadata.setMode(inode, old.mode() & PERMISSIONS);
  }

  private void remove(String temporary) throws PvfsException {
    Interrupts.putAside(() -> {
      files.unlink(temporary);
      return null;
    });
  }

  /** @return the bytes read; less than the piece has only at the end */
  private static long fill(ReadableByteChannel from, MemorySegment piece) throws IOException {
    ByteBuffer buffer = piece.asByteBuffer();
    while (buffer.hasRemaining() && from.read(buffer) >= 0) {
      // More.
    }
    return buffer.position();
  }

  /**
   * Copies all bytes of a file out.
   *
   * @param local the file that they go to
   * @return the permissions of the file
   */
  int get(String path, WritableByteChannel to, LocalIdentity local) throws IOException {
    int[] mode = {0};
    inTurn(() -> {
      try (PvfsFile from = files.open(path)) {
        mode[0] = from.attributes().mode() & PERMISSIONS;
        requireOther(local.isKnown() ? files.stat(path, true).attributes() : from.attributes(), path, local);
        MemorySegment piece = Arena.ofAuto().allocate(PIECE_BYTES, 4096);
        long done = 0;
        for (long bytes = from.read(piece, 0); bytes > 0; bytes = from.read(piece, done)) {
          ByteBuffer buffer = piece.asSlice(0, bytes).asByteBuffer();
          while (buffer.hasRemaining()) {
            to.write(buffer);
          }
          done += bytes;
        }
      }
    });
    return mode[0];
  }
}

package dev.weft.pvfs.nio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Interrupts;
import dev.weft.pvfs.files.FileMetadata;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.FileAttributes;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Copies and moves, within a file system and between two. */
final class CopyMove {
  private static final int PIECE_BYTES = 4 << 20;

  private final PvfsPath source;
  private final PvfsPath target;
  private final PvfsFileSystem from;
  private final PvfsFileSystem to;

  CopyMove(PvfsPath source, PvfsPath target) {
    this.source = source;
    this.target = target;
    this.from = source.getFileSystem().files();
    this.to = target.getFileSystem().files();
  }

  private boolean isWithinOne() {
    return source.getFileSystem() == target.getFileSystem();
  }

  private static Set<CopyOption> checked(CopyOption[] options, Set<CopyOption> known) {
    Set<CopyOption> all = Set.of(options);
    for (CopyOption each : all) {
      if (!known.contains(each)) {
        throw new UnsupportedOperationException("option " + each + "; there are " + known);
      }
    }
    return all;
  }

  // Copies.

  void copy(CopyOption... options) throws IOException {
    Set<CopyOption> all = checked(options, Set.of(StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS));
    target.getFileSystem().requireOpen();
    Failures.translated(source, target, () -> {
      copy(!all.contains(LinkOption.NOFOLLOW_LINKS), all.contains(StandardCopyOption.REPLACE_EXISTING), all.contains(StandardCopyOption.COPY_ATTRIBUTES));
      return null;
    });
  }

  private void copy(boolean follows, boolean replaces, boolean withAttributes) throws IOException {
    FileAttributes what = attributes(from, source, follows);
    FileAttributes there = orNull(to, target);
    if (there != null) {
      if (isWithinOne() && there.inode() == what.inode()) {
        return;
      }
      if (!replaces) {
        throw new FileAlreadyExistsException(target.toString());
      }
      remove(there);
    }
    if (what.isDirectory()) {
      Failures.translated(target, null, () -> {
        to.mkdir(target.text(), what.mode() & 0777);
        return null;
      });
    } else if (what.isSymlink()) {
      String leads = from.readSymlink(source.text());
      Failures.translated(target, null, () -> {
        to.symlink(leads, target.text());
        return null;
      });
      return;
    } else if (what.isRegular()) {
      copyData(what, withAttributes);
    } else {
      throw Failures.because(source, "neither file, directory nor symbolic link, cannot be copied");
    }
    if (withAttributes) {
      copyAttributes(what);
    }
  }

  private static FileAttributes attributes(PvfsFileSystem files, PvfsPath path, boolean follows) throws IOException {
    try {
      return files.attributes(path.text(), follows);
    } catch (PvfsException failed) {
      throw Failures.of(failed, path, null);
    }
  }

  private static FileAttributes orNull(PvfsFileSystem files, PvfsPath path) throws IOException {
    try {
      return attributes(files, path, false);
    } catch (NoSuchFileException none) {
      return null;
    }
  }

  private void remove(FileAttributes there) throws IOException {
    try {
      if (there.isDirectory()) {
        to.rmdir(target.text());
      } else {
        to.unlink(target.text());
      }
    } catch (PvfsException failed) {
      throw Failures.of(failed, target, null);
    }
  }

  private void copyData(FileAttributes what, boolean withAttributes) throws IOException {
    Striping had = what.striping();
    StripingWish wish = withAttributes && had != null ? new StripingWish(StripingWish.ANY, had.count(), had.stripeBytes()).fitted(to.daemons().size())
        : StripingWish.NONE;
    MemorySegment piece = to.allocate(PIECE_BYTES);
    boolean isMade = false;
    boolean isWhole = false;
    try (PvfsFile in = from.open(source.text());
        PvfsFile out = Failures.translated(target, null,
            () -> to.open(target.text(), wish, what.mode() & 0777, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
      isMade = true;
      long done = 0;
      for (long bytes = in.read(piece, done); bytes > 0; bytes = in.read(piece, done)) {
        out.write(piece.asSlice(0, bytes), done);
        done += bytes;
      }
      isWhole = true;
    } finally {
      if (isMade && !isWhole) {
        Interrupts.putAside(() -> {
          to.unlink(target.text()); // Of a copy that failed nothing stays.
          return null;
        });
      }
    }
  }

  private void copyAttributes(FileAttributes what) throws IOException {
    FileMetadata metadata = to.metadata();
    long inode = attributes(to, target, true).inode();
    for (String name : from.metadata().xattrs(what.inode())) {
      metadata.setXattr(inode, name, from.metadata().xattr(what.inode(), name));
    }
    if (to.caller().isRoot()) {
      metadata.setOwner(inode, what.uid(), what.gid());
    }
    metadata.setMode(inode, what.mode() & 07777);
    metadata.setTimes(inode, what.atimeNs(), what.mtimeNs());
  }

  // Moves.

  void move(CopyOption... options) throws IOException {
    Set<CopyOption> all = checked(options, Set.of(StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE, LinkOption.NOFOLLOW_LINKS));
    target.getFileSystem().requireOpen();
    boolean isAtomic = all.contains(StandardCopyOption.ATOMIC_MOVE);
    boolean replaces = isAtomic || all.contains(StandardCopyOption.REPLACE_EXISTING);
    if (!isWithinOne()) {
      moveToOther(isAtomic, replaces);
      return;
    }
    Failures.translated(source, target, () -> {
      FileAttributes what = attributes(from, source, false);
      FileAttributes there = orNull(to, target);
      if (there != null && there.inode() == what.inode()) {
        return null; // Two names of one file: nothing is done.
      }
      if (there != null && !replaces) {
        throw new FileAlreadyExistsException(target.toString());
      }
      rename(there, replaces, isAtomic);
      return null;
    });
  }

  /** A file over an empty directory, or the other way round, is not a rename; unless it has to be atomic, what is there goes first. */
  private void rename(FileAttributes there, boolean replaces, boolean isAtomic) throws IOException {
    try {
      from.rename(source.text(), target.text(), replaces);
    } catch (PvfsException failed) {
      boolean isOtherKind = failed.errno() == Errno.EISDIR || failed.errno() == Errno.ENOTDIR;
      if (there == null || !isOtherKind || isAtomic) {
        throw failed;
      }
      remove(there);
      from.rename(source.text(), target.text(), false);
    }
  }

  private void moveToOther(boolean isAtomic, boolean replaces) throws IOException {
    if (isAtomic) {
      throw new AtomicMoveNotSupportedException(source.toString(), target.toString(), "they are of two file systems");
    }
    Failures.translated(source, target, () -> {
      if (attributes(from, source, false).isDirectory() && !from.list(source.text()).isEmpty()) {
        throw new java.nio.file.DirectoryNotEmptyException(source.toString());
      }
      copy(false, replaces, true);
      return null;
    });
    source.getFileSystem().provider().delete(source);
  }
}

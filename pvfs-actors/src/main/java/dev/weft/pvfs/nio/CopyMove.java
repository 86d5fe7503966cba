package dev.weft.pvfs.nio;

import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.Errno;
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
  private static final int LOOKS = 10;

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
      isCopied(!all.contains(LinkOption.NOFOLLOW_LINKS), all.contains(StandardCopyOption.REPLACE_EXISTING), all.contains(StandardCopyOption.COPY_ATTRIBUTES));
      return null;
    });
  }

  /** Copies; returns false, without copying, if source and target are the same file. */
  private boolean isCopied(boolean follows, boolean replaces, boolean withAttributes) throws IOException {
    FileAttributes what = attributes(from, source, follows);
    FileAttributes there = orNull(to, target);
    if (there != null) {
      if (isSame(what, there, follows)) {
        return false;
      }
      if (!replaces) {
        throw new FileAlreadyExistsException(target.toString());
      }
      remove(there);
    }
    if (what.isDirectory()) {
      Failures.translated(target, null, () -> {
        to.mkdir(target.text(), modeToBeginWith(what, withAttributes));
        return null;
      });
    } else if (what.isSymlink()) {
      String leads = from.readSymlink(source.text());
      Failures.translated(target, null, () -> {
        to.symlink(leads, target.text());
        return null;
      });
      return true;
    } else if (what.isRegular()) {
      copyData(what, withAttributes);
    } else {
      throw Failures.because(source, "neither file, directory nor symbolic link, cannot be copied");
    }
    if (withAttributes) {
      boolean isWhole = false;
      try {
        copyAttributes(what);
        isWhole = true;
      } finally {
        if (!isWhole) {
          removeUnfinished(what.isDirectory());
        }
      }
    }
    return true;
  }

  /**
   * Whether both names lead to one file. Two file systems of a program may be two clients of one manager; removing the target would then remove the
   * source. The file is the same if daemons, number and time of the last change agree. If only the time differs, the file may have changed between
   * the two reads, so both are read again until the source is equal before and after the target.
   *
   * @throws IOException if the file changes so often that this stays open
   */
  private boolean isSame(FileAttributes first, FileAttributes there, boolean follows) throws IOException {
    if (isWithinOne()) {
      return first.inode() == there.inode();
    }
    FileAttributes one = first;
    FileAttributes other = there;
    for (int i = 0; i < LOOKS; i++) {
      if (other == null || one.inode() != other.inode() || !from.daemons().equals(to.daemons())) {
        return false;
      }
      if (one.ctimeNs() == other.ctimeNs()) {
        return true;
      }
      FileAttributes again = attributes(from, source, follows);
      if (again.inode() == one.inode() && again.ctimeNs() == one.ctimeNs()) {
        return false;
      }
      one = again;
      other = orNull(to, target);
    }
    throw Failures.because(target, "may be the file that is to be copied, which changes all the time; copy it when nobody writes it");
  }

  /** The owner must be able to write a copy that is to get attributes. */
  private static int modeToBeginWith(FileAttributes what, boolean withAttributes) {
    return what.mode() & 0777 | (withAttributes ? 0200 : 0);
  }

  /** Removes the rest of a copy that failed. */
  private void removeUnfinished(boolean isDirectory) throws IOException {
    Interrupts.putAside(() -> {
      if (isDirectory) {
        to.rmdir(target.text());
      } else {
        to.unlink(target.text());
      }
      return null;
    });
  }

  private static FileAttributes attributes(PvfsFileSystem files, PvfsPath path, boolean follows) throws IOException {
    try {
      return files.attributes(path.text(), follows);
    } catch (PvfsException failed) {
      throw Failures.ofLook(failed, path);
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
            () -> to.open(target.text(), wish, modeToBeginWith(what, withAttributes), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
      isMade = true;
      long done = 0;
      for (long bytes = in.read(piece, done); bytes > 0; bytes = in.read(piece, done)) {
        out.write(piece.asSlice(0, bytes), done);
        done += bytes;
      }
      isWhole = true;
    } finally {
      if (isMade && !isWhole) {
        removeUnfinished(false);
      }
    }
  }

  /**
   * Copies attributes. Unless the caller is root, the caller owns the copy. Its set-id bits are then dropped if the source has another owner or
   * group: otherwise others could run the copy with the rights of the caller.
   */
  private void copyAttributes(FileAttributes what) throws IOException {
    FileMetadata metadata = to.metadata();
    FileAttributes made = attributes(to, target, true);
    long inode = made.inode();
    for (String name : from.metadata().xattrs(what.inode())) {
      if (to.caller().isRoot() || name.startsWith("user.")) {
        metadata.setXattr(inode, name, from.metadata().xattr(what.inode(), name));
      }
    }
    if (to.caller().isRoot()) {
      metadata.setOwner(inode, what.uid(), what.gid());
    }
    boolean isSameOwner = to.caller().isRoot() || made.uid() == what.uid() && made.gid() == what.gid();
    metadata.setMode(inode, what.mode() & (isSameOwner ? 07777 : 01777));
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
      if (isAtomic) {
        from.rename(source.text(), target.text(), true);
        return null;
      }
      FileAttributes what = attributes(from, source, false);
      FileAttributes there = orNull(to, target);
      if (there != null && there.inode() == what.inode()) {
        return null; // Both names lead to one file: nothing to do.
      }
      if (there != null && !replaces) {
        throw new FileAlreadyExistsException(target.toString());
      }
      rename(there, replaces);
      return null;
    });
  }

  /** Renames. A rename cannot put a file over an empty directory, or the other way round; the target is then removed first. */
  private void rename(FileAttributes there, boolean replaces) throws IOException {
    try {
      from.rename(source.text(), target.text(), replaces);
    } catch (PvfsException failed) {
      boolean isOtherKind = failed.errno() == Errno.EISDIR || failed.errno() == Errno.ENOTDIR;
      if (there == null || !isOtherKind) {
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
      if (isCopied(false, replaces, true)) {
        source.getFileSystem().provider().delete(source);
      }
      return null;
    });
  }
}

package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.FileMetadata;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** All attribute views but that of extended attributes. They differ in their name and in the attributes that they show. */
final class AttributeView implements PvfsFileAttributeView {
  private final String name;
  private final PvfsPath path;
  private final boolean follows;

  AttributeView(String name, PvfsPath path, boolean follows) {
    this.name = name;
    this.path = path;
    this.follows = follows;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Attributes readAttributes() throws IOException {
    PvfsNioFileSystem system = path.getFileSystem();
    return Failures.translated(path, null, () -> {
      PvfsFileSystem.Stat found = stat(system.files());
      return new Attributes(found.attributes(), found.bytes(), system.getUserPrincipalLookupService(), system.name());
    });
  }

  private PvfsFileSystem.Stat stat(PvfsFileSystem files) throws IOException {
    try {
      return files.stat(path.text(), follows);
    } catch (PvfsException failed) {
      throw Failures.ofLook(failed, path);
    }
  }

  private interface Change {
    void on(FileMetadata metadata, long inode) throws IOException;
  }

  private void change(Change change) throws IOException {
    Failures.translated(path, null, () -> {
      PvfsFileSystem files = path.getFileSystem().files();
      change.on(files.metadata(), files.attributes(path.text(), follows).inode());
      return null;
    });
  }

  /** Ignores the time of creation, which is that of the last change. */
  @Override
  public void setTimes(FileTime lastModified, FileTime lastAccess, FileTime creation) throws IOException {
    change((metadata, inode) -> metadata.setTimes(inode, ns(lastAccess), ns(lastModified)));
  }

  private static long ns(FileTime time) {
    return time == null ? FileMetadata.KEEP : Math.max(time.to(TimeUnit.NANOSECONDS), FileMetadata.KEEP + 1);
  }

  @Override
  public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
    setMode(Modes.bits(NewFile.permissions(permissions)));
  }

  /** Sets all permission bits, also set-id and sticky, which POSIX permissions of Java do not have. */
  void setMode(int mode) throws IOException {
    if (!follows && readAttributes().isSymbolicLink()) {
      throw Failures.because(path, "a symbolic link has no permissions");
    }
    change((metadata, inode) -> metadata.setMode(inode, mode & 07777));
  }

  @Override
  public UserPrincipal getOwner() throws IOException {
    return readAttributes().owner();
  }

  @Override
  public void setOwner(UserPrincipal owner) throws IOException {
    setOwner(Principals.userId(owner), FileMetadata.KEEP);
  }

  @Override
  public void setGroup(GroupPrincipal group) throws IOException {
    setOwner(FileMetadata.KEEP, Principals.id(group));
  }

  void setOwner(long uid, long gid) throws IOException {
    change((metadata, inode) -> metadata.setOwner(inode, uid, gid));
  }

  @Override
  public void setDefaultStriping(StripingWish wish) throws IOException {
    if (!readAttributes().isDirectory()) {
      throw Failures.because(path, "a file gets its striping when it is made; a directory has one for new files");
    }
    Failures.translated(path, null, () -> {
      path.getFileSystem().files().setStriping(path.text(), wish);
      return null;
    });
  }
}

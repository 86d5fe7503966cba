package dev.weft.pvfs.nio;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.FileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The attributes of a file at one moment. It has no time of creation: the time of the last change stands for it, as the interface allows. */
record Attributes(FileAttributes known, long size, Principals principals, String fileSystem) implements PvfsFileAttributes {
  /** Identifies a file. */
  private record Key(String fileSystem, long inode) {}

  static FileTime time(long ns) {
    return FileTime.from(ns, TimeUnit.NANOSECONDS);
  }

  @Override
  public Striping striping() {
    return known.striping();
  }

  @Override
  public long inode() {
    return known.inode();
  }

  @Override
  public int links() {
    return known.links();
  }

  @Override
  public UserPrincipal owner() {
    return principals.user(known.uid());
  }

  @Override
  public GroupPrincipal group() {
    return principals.group(known.gid());
  }

  @Override
  public Set<PosixFilePermission> permissions() {
    return Modes.permissions(known.mode());
  }

  @Override
  public FileTime lastModifiedTime() {
    return time(known.mtimeNs());
  }

  @Override
  public FileTime lastAccessTime() {
    return time(known.atimeNs());
  }

  @Override
  public FileTime creationTime() {
    return lastModifiedTime();
  }

  @Override
  public boolean isRegularFile() {
    return known.isRegular();
  }

  @Override
  public boolean isDirectory() {
    return known.isDirectory();
  }

  @Override
  public boolean isSymbolicLink() {
    return known.isSymlink();
  }

  @Override
  public boolean isOther() {
    return !isRegularFile() && !isDirectory() && !isSymbolicLink();
  }

  @Override
  public Object fileKey() {
    return new Key(fileSystem, inode());
  }
}

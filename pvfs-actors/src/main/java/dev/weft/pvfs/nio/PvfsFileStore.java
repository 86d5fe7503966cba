package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.FileMetadata;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Set;

/** The store of a file system: all its daemons together. */
final class PvfsFileStore extends FileStore {
  static final Set<String> VIEW_NAMES = Set.of("basic", "posix", "owner", "unix", UserView.NAME, "pvfs");
  static final Set<Class<? extends FileAttributeView>> VIEWS = Set.of(BasicFileAttributeView.class, PosixFileAttributeView.class,
      FileOwnerAttributeView.class, UserDefinedFileAttributeView.class, PvfsFileAttributeView.class);

  private final PvfsNioFileSystem fileSystem;

  PvfsFileStore(PvfsNioFileSystem fileSystem) {
    this.fileSystem = fileSystem;
  }

  private FileMetadata.Space space() throws IOException {
    return Failures.translated(fileSystem.getPath("/"), null, () -> fileSystem.files().metadata().space());
  }

  @Override
  public String name() {
    return fileSystem.name();
  }

  @Override
  public String type() {
    return fileSystem.provider().getScheme();
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public long getTotalSpace() throws IOException {
    return space().totalBytes();
  }

  @Override
  public long getUsableSpace() throws IOException {
    return space().freeBytes();
  }

  @Override
  public long getUnallocatedSpace() throws IOException {
    return space().freeBytes();
  }

  @Override
  public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
    return VIEWS.contains(type);
  }

  @Override
  public boolean supportsFileAttributeView(String name) {
    return VIEW_NAMES.contains(name);
  }

  @Override
  public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
    return null;
  }

  @Override
  public Object getAttribute(String attribute) throws IOException {
    return switch (attribute) {
      case "totalSpace" -> getTotalSpace();
      case "usableSpace" -> getUsableSpace();
      case "unallocatedSpace" -> getUnallocatedSpace();
      default -> throw new UnsupportedOperationException("'" + attribute + "'; there are totalSpace, usableSpace and unallocatedSpace");
    };
  }
}

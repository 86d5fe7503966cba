package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.FileMetadata;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;

/** The store of a file system: all its daemons together. */
final class PvfsFileStore extends FileStore {
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
    return PvfsFileSystemProvider.SCHEME;
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
    return PvfsFileSystemProvider.VIEWS.contains(type);
  }

  @Override
  public boolean supportsFileAttributeView(String name) {
    return NamedAttributes.VIEWS.contains(name);
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

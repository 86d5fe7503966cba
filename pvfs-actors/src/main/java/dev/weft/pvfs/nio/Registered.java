package dev.weft.pvfs.nio;

import java.io.Closeable;
import java.io.IOException;

/** A part that is closed with its file system. If the part is closed first, the file system forgets it. */
final class Registered implements Closeable {
  private final PvfsNioFileSystem fileSystem;
  private volatile Closeable part;

  Registered(PvfsNioFileSystem fileSystem) {
    this.fileSystem = fileSystem;
  }

  <T extends Closeable> T as(T what) throws IOException {
    part = what;
    fileSystem.register(what);
    return what;
  }

  @Override
  public void close() {
    Closeable what = part;
    if (what != null) {
      fileSystem.forget(what);
    }
  }
}

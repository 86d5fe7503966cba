package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.FileMetadata;
import dev.weft.pvfs.files.PvfsFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Objects;

/** The view {@code user}: the extended attributes whose names begin with {@code user.}; the view's names omit this prefix. */
final class UserView implements UserDefinedFileAttributeView {
  static final String NAME = "user";
  private static final String PREFIX = "user.";

  private final PvfsPath path;
  private final boolean follows;

  UserView(PvfsPath path, boolean follows) {
    this.path = path;
    this.follows = follows;
  }

  private interface Action<T> {
    T on(FileMetadata metadata, long inode) throws IOException;
  }

  private <T> T run(Action<T> action) throws IOException {
    return Failures.translated(path, null, () -> {
      PvfsFileSystem files = path.getFileSystem().files();
      return action.on(files.metadata(), files.attributes(path.text(), follows).inode());
    });
  }

  private static String full(String name) {
    return PREFIX + Objects.requireNonNull(name, "the name of an attribute");
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> list() throws IOException {
    return run((metadata, inode) -> metadata.xattrs(inode).stream().filter(name -> name.startsWith(PREFIX))
        .map(name -> name.substring(PREFIX.length())).toList());
  }

  byte[] value(String name) throws IOException {
    return run((metadata, inode) -> metadata.xattr(inode, full(name)));
  }

  @Override
  public int size(String name) throws IOException {
    return value(name).length;
  }

  @Override
  public int read(String name, ByteBuffer to) throws IOException {
    byte[] value = value(name);
    if (value.length > to.remaining()) {
      throw Failures.because(path, "attribute '" + name + "' has " + value.length + " bytes, the buffer has room for " + to.remaining());
    }
    to.put(value);
    return value.length;
  }

  @Override
  public int write(String name, ByteBuffer from) throws IOException {
    byte[] value = new byte[from.remaining()];
    from.duplicate().get(value);
    run((metadata, inode) -> {
      metadata.setXattr(inode, full(name), value);
      return null;
    });
    from.position(from.limit());
    return value.length;
  }

  @Override
  public void delete(String name) throws IOException {
    run((metadata, inode) -> {
      metadata.removeXattr(inode, full(name));
      return null;
    });
  }
}

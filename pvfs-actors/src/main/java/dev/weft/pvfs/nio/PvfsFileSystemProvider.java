package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.PathNames;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileAttributes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.LinkOption;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;

/**
 * The provider of {@code pvfs://NAME/path}. NAME is the program's own name for a file system, given at {@code newFileSystem}. The environment says
 * where the file system is:
 *
 * <pre>
 * fabric, node     a Fabric of this JVM and a Node of it: connects there, and ends the connection when the file system is closed
 * files            a connected PvfsFileSystem: uses it and leaves it open
 * neither          joins the fabric of 'weft up' of this user on this host, until the file system is closed
 * manager          node of the manager, default 'pvfs-manager'
 * caller           a Caller, on whose behalf the client acts, default root
 * watchInterval    a Duration between looks at watched directories, 100 ms to 1 h, default 1 s
 * </pre>
 *
 * <p>{@link java.util.ServiceLoader} finds this provider. Any thread.
 */
public final class PvfsFileSystemProvider extends FileSystemProvider {
  static final String SCHEME = "pvfs";
  private static final int DIRECTORY_MODE = 0755;
  private static final int FILE_MODE = 0644;

  private final Map<String, PvfsNioFileSystem> fileSystems = new ConcurrentHashMap<>();

  @Override
  public String getScheme() {
    return SCHEME;
  }

  // File systems.

  private static String nameOf(URI uri) {
    String name = uri.getRawAuthority();
    if (!SCHEME.equalsIgnoreCase(uri.getScheme()) || name == null || !name.matches("[A-Za-z0-9._-]+") || uri.getRawQuery() != null
        || uri.getRawFragment() != null) {
      throw new IllegalArgumentException(uri + " is no address of a file system, must be " + SCHEME
          + "://NAME/PATH, the name of letters, digits, '.', '_', '-'");
    }
    return name;
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) throws IOException {
    String name = nameOf(uri);
    if (uri.getRawPath() != null && !uri.getRawPath().isEmpty() && !uri.getRawPath().equals("/")) {
      throw new IllegalArgumentException(uri + " names a file; a file system is " + SCHEME + "://" + name + "/");
    }
    Duration interval = Connection.value(environment, Connection.WATCH_INTERVAL, Duration.class, Duration.ofSeconds(1));
    if (interval.compareTo(Duration.ofMillis(100)) < 0 || interval.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException("'" + Connection.WATCH_INTERVAL + "' is " + interval + ", must be from 100 ms to 1 h");
    }
    if (fileSystems.containsKey(name)) {
      throw new FileSystemAlreadyExistsException(SCHEME + "://" + name + "/ is open in this JVM");
    }
    PvfsNioFileSystem made = new PvfsNioFileSystem(this, closed -> fileSystems.remove(name, closed), name, Connection.of(environment), interval);
    if (fileSystems.putIfAbsent(name, made) != null) {
      made.close();
      throw new FileSystemAlreadyExistsException(SCHEME + "://" + name + "/ is open in this JVM");
    }
    return made;
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    PvfsNioFileSystem found = fileSystems.get(nameOf(uri));
    if (found == null) {
      throw new FileSystemNotFoundException(SCHEME + "://" + nameOf(uri) + "/ is not open in this JVM; FileSystems.newFileSystem opens it");
    }
    return found;
  }

  @Override
  public Path getPath(URI uri) {
    FileSystem system = getFileSystem(uri);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    String raw = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    int at = 0;
    while (at < raw.length()) {
      if (raw.charAt(at) == '%') {
        bytes.write(Integer.parseInt(raw.substring(at + 1, at + 3), 16));
        at += 3;
      } else {
        String one = Character.toString(raw.codePointAt(at)); // One char, or two for a surrogate pair.
        bytes.writeBytes(one.getBytes(StandardCharsets.UTF_8));
        at += one.length();
      }
    }
    return system.getPath(PathNames.decode(bytes.toByteArray()));
  }

  // Channels and directories.

  @Override
  public SeekableByteChannel newByteChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
    PvfsPath ours = PvfsPath.of(path);
    Registered registered = new Registered(ours.getFileSystem());
    return registered.as(new PvfsFileChannel(OpenFile.open(ours, OpenWish.of(options), NewFile.of(FILE_MODE, attributes), registered)));
  }

  @Override
  public AsynchronousFileChannel newAsynchronousFileChannel(Path path, Set<? extends OpenOption> options, ExecutorService executor,
      FileAttribute<?>... attributes) throws IOException {
    PvfsPath ours = PvfsPath.of(path);
    OpenWish wish = OpenWish.of(options);
    if (wish.appends()) {
      throw new UnsupportedOperationException("APPEND of an asynchronous channel, which has no position");
    }
    Registered registered = new Registered(ours.getFileSystem());
    return registered.as(new PvfsAsynchronousFileChannel(OpenFile.open(ours, wish, NewFile.of(FILE_MODE, attributes), registered),
        executor == null ? ForkJoinPool.commonPool() : executor));
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    PvfsPath ours = PvfsPath.of(directory);
    Registered registered = new Registered(ours.getFileSystem());
    return registered.as(new PvfsDirectoryStream(ours, filter, registered));
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    PvfsPath ours = PvfsPath.of(directory);
    NewFile made = NewFile.of(DIRECTORY_MODE, attributes);
    Failures.translated(ours, null, () -> {
      ours.getFileSystem().files().mkdir(ours.text(), made.mode());
      if (!made.wish().equals(dev.weft.pvfs.layout.StripingWish.NONE)) {
        ours.getFileSystem().files().setStriping(ours.text(), made.wish());
      }
      return null;
    });
  }

  // Names.

  @Override
  public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes) throws IOException {
    PvfsPath ours = PvfsPath.of(link);
    if (attributes.length > 0) {
      throw new UnsupportedOperationException("attributes of a symbolic link that is made");
    }
    Failures.translated(ours, null, () -> {
      ours.getFileSystem().files().symlink(PvfsPath.of(target).toString(), ours.text());
      return null;
    });
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    PvfsPath ours = PvfsPath.of(link);
    PvfsPath other = PvfsPath.of(existing);
    if (ours.getFileSystem() != other.getFileSystem()) {
      throw Failures.because(ours, "a link to a file of another file system");
    }
    Failures.translated(ours, other, () -> {
      ours.getFileSystem().files().link(other.text(), ours.text(), false);
      return null;
    });
  }

  @Override
  public Path readSymbolicLink(Path link) throws IOException {
    PvfsPath ours = PvfsPath.of(link);
    return Failures.translated(ours, null, () -> {
      if (!ours.getFileSystem().files().attributes(ours.text(), false).isSymlink()) {
        throw new NotLinkException(link.toString());
      }
      return ours.getFileSystem().getPath(ours.getFileSystem().files().readSymlink(ours.text()));
    });
  }

  @Override
  public void delete(Path path) throws IOException {
    PvfsPath ours = PvfsPath.of(path);
    Failures.translated(ours, null, () -> {
      if (ours.isRoot()) {
        throw Failures.because(ours, "the root directory stays");
      }
      if (ours.getFileSystem().files().attributes(ours.text(), false).isDirectory()) {
        ours.getFileSystem().files().rmdir(ours.text());
      } else {
        ours.getFileSystem().files().unlink(ours.text());
      }
      return null;
    });
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    new CopyMove(PvfsPath.of(source), PvfsPath.of(target)).copy(options);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    new CopyMove(PvfsPath.of(source), PvfsPath.of(target)).move(options);
  }

  // Attributes.

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    if (path.equals(other)) {
      return true;
    }
    if (!(other instanceof PvfsPath) || path.getFileSystem() != other.getFileSystem()) {
      return false;
    }
    return attributes(PvfsPath.of(path)).inode() == attributes(PvfsPath.of(other)).inode();
  }

  private static FileAttributes attributes(PvfsPath path) throws IOException {
    return Failures.translated(path, null, () -> path.getFileSystem().files().attributes(path.text()));
  }

  @Override
  public boolean isHidden(Path path) {
    PvfsPath name = PvfsPath.of(path).getFileName();
    return name != null && name.toString().startsWith(".");
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    PvfsPath ours = PvfsPath.of(path);
    attributes(ours); // Throws if it is missing.
    return new PvfsFileStore(ours.getFileSystem());
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    PvfsPath ours = PvfsPath.of(path);
    FileAttributes of = view(path, true).readAttributes().known();
    int wanted = 0;
    for (AccessMode mode : modes) {
      wanted |= switch (mode) {
        case READ -> 4;
        case WRITE -> 2;
        case EXECUTE -> 1;
      };
    }
    Caller caller = ours.getFileSystem().files().caller();
    int shift = caller.uid() == of.uid() ? 6 : caller.isIn(of.gid()) ? 3 : 0;
    boolean isRefused = caller.isRoot() ? (wanted & 1) != 0 && !of.isDirectory() && (of.mode() & 0111) == 0
        : (of.mode() >>> shift & wanted) != wanted;
    if (isRefused) {
      throw new AccessDeniedException(path.toString(), null, "its permissions do not give " + List.of(modes) + " to user "
          + Integer.toUnsignedString(caller.uid()));
    }
  }

  private static boolean follows(LinkOption... options) {
    return !List.of(options).contains(LinkOption.NOFOLLOW_LINKS);
  }

  private static AttributeView view(Path path, boolean follows) {
    return new AttributeView("pvfs", PvfsPath.of(path), follows);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
    PvfsPath ours = PvfsPath.of(path);
    if (type == UserDefinedFileAttributeView.class) {
      return type.cast(new UserView(ours, follows(options)));
    }
    if (!PvfsFileStore.VIEWS.contains(type)) {
      return null;
    }
    String name = type == BasicFileAttributeView.class ? "basic" : type == PosixFileAttributeView.class ? "posix"
        : type == FileOwnerAttributeView.class ? "owner" : "pvfs";
    return type.cast(new AttributeView(name, ours, follows(options)));
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options) throws IOException {
    if (type != BasicFileAttributes.class && type != PosixFileAttributes.class && type != PvfsFileAttributes.class) {
      throw new UnsupportedOperationException("attributes of type " + type.getName());
    }
    return type.cast(view(path, follows(options)).readAttributes());
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
    return NamedAttributes.read(PvfsPath.of(path), attributes, follows(options));
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
    NamedAttributes.set(PvfsPath.of(path), attribute, value, follows(options));
  }
}

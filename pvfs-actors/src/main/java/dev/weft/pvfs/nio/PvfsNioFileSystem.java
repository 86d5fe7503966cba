package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.PvfsFileSystem;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.spi.FileSystemProvider;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** An open file system of this JVM, with its name. Closing it closes its channels, directory streams and watch services. Any thread. */
final class PvfsNioFileSystem extends FileSystem {
  private final FileSystemProvider provider;
  private final Consumer<PvfsNioFileSystem> whenClosed;
  private final String name;
  private final Connection connection;
  private final Duration watchInterval;
  private final Principals principals = Principals.ofThisHost();
  private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
  private final FileLocks locks = new FileLocks();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** @param whenClosed called first by {@link #close} */
  PvfsNioFileSystem(FileSystemProvider provider, Consumer<PvfsNioFileSystem> whenClosed, String name, Connection connection, Duration watchInterval) {
    this.provider = provider;
    this.whenClosed = whenClosed;
    this.name = name;
    this.connection = connection;
    this.watchInterval = watchInterval;
  }

  String name() {
    return name;
  }

  PvfsFileSystem files() {
    return connection.files();
  }

  FileLocks locks() {
    return locks;
  }

  void requireOpen() {
    if (closed.get()) {
      throw new ClosedFileSystemException();
    }
  }

  /** Registers a part that is closed with the file system, unless it is {@link #forget forgotten} first. */
  void register(Closeable part) throws IOException {
    open.add(part);
    if (closed.get()) {
      part.close();
      throw new ClosedFileSystemException();
    }
  }

  void forget(Closeable part) {
    open.remove(part);
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() throws IOException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    whenClosed.accept(this);
    Exception first = null;
    try {
      for (Closeable part : List.copyOf(open)) {
        try {
          part.close();
        } catch (IOException | RuntimeException failed) {
          first = first == null ? failed : first;
        }
      }
    } finally {
      connection.close();
    }
    if (first != null) {
      throw first instanceof IOException failed ? failed : new IOException(first.getMessage(), first);
    }
  }

  @Override
  public boolean isOpen() {
    return !closed.get();
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of(getPath("/"));
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of(new PvfsFileStore(this));
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return PvfsFileStore.VIEW_NAMES;
  }

  @Override
  public PvfsPath getPath(String first, String... more) {
    StringBuilder text = new StringBuilder(first);
    for (String each : more) {
      if (!each.isEmpty()) {
        text.append(text.isEmpty() ? "" : "/").append(each);
      }
    }
    return PvfsPath.of(this, text.toString());
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    Pattern pattern = Globs.pattern(syntaxAndPattern);
    return path -> pattern.matcher(path.toString()).matches();
  }

  @Override
  public Principals getUserPrincipalLookupService() {
    return principals;
  }

  @Override
  public PvfsWatchService newWatchService() throws IOException {
    requireOpen();
    PvfsWatchService service = new PvfsWatchService(this, watchInterval);
    register(service);
    return service;
  }

  @Override
  public String toString() {
    return PvfsFileSystemProvider.SCHEME + "://" + name + "/";
  }
}

package dev.weft.pvfs.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.Caller;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the provider has beside the contract: addresses, ends, views of its own, watches. */
@Tag("actor")
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PvfsFileSystemProviderTest {
  private static final URI ADDRESS = URI.create("pvfs://test/");
  private final FileSystemCluster cluster = new FileSystemCluster(3, "");
  private FileSystem files;

  @BeforeAll
  void open() throws IOException {
    files = FileSystems.newFileSystem(ADDRESS, Map.of("files", cluster.connect(Caller.ROOT), "watchInterval", Duration.ofMillis(100)));
  }

  @AfterAll
  void close() throws IOException {
    files.close();
    cluster.close();
  }

  /** The example of docs/guides/file-system-interfaces.md. */
  @Test
  void shouldRunTheExampleOfTheDocumentation() throws Exception {
    var fabric = cluster.fabric;
    var node = fabric.addNode("example");
    // example begins
    Map<String, Object> where = Map.of("fabric", fabric, "node", node, "manager", "manager");
    try (FileSystem system = FileSystems.newFileSystem(URI.create("pvfs://results/"), where)) {
      Path file = Path.of(URI.create("pvfs://results/run-1.txt"));
      Files.writeString(file, "energy 42\n");
      Files.move(file, system.getPath("/run-1.done"), StandardCopyOption.ATOMIC_MOVE);
      System.out.println(Files.readAllLines(system.getPath("/run-1.done")) + " in stripes of " + Files.getAttribute(system.getPath("/run-1.done"),
          "pvfs:stripeSize"));
    }
    // example ends
    assertEquals("energy 42\n", Files.readString(files.getPath("/run-1.done")), "it stays when the connection ends");
  }

  @Test
  void shouldFindFileSystemsByTheirAddress() throws Exception {
    assertSame(files, FileSystems.getFileSystem(ADDRESS));
    assertSame(files, FileSystems.getFileSystem(URI.create("pvfs://test/any/file")));
    assertThrows(FileSystemAlreadyExistsException.class, () -> FileSystems.newFileSystem(ADDRESS, Map.of("files", cluster.connect(Caller.ROOT))));
    assertTrue(assertThrows(FileSystemNotFoundException.class, () -> FileSystems.getFileSystem(URI.create("pvfs://other/"))).getMessage()
        .contains("FileSystems.newFileSystem opens it"));
    assertThrows(IllegalArgumentException.class, () -> Path.of(URI.create("pvfs:/no-name")));
    assertThrows(IllegalArgumentException.class, () -> FileSystems.newFileSystem(URI.create("pvfs://x/file"), Map.of()));
    assertThrows(IllegalArgumentException.class, () -> FileSystems.newFileSystem(URI.create("pvfs://x/"), Map.of("fabrik", 1)));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> FileSystems.newFileSystem(URI.create("pvfs://x/"), Map.of("files", "text"))).getMessage()
        .contains("must be a dev.weft.pvfs.files.PvfsFileSystem"));
    assertThrows(IllegalArgumentException.class, () -> FileSystems.newFileSystem(URI.create("pvfs://x/"), Map.of("fabric", cluster.fabric)));
    for (String name : List.of("/a b%41ä€😀+#?", "/", "/x/y", "/\udcff\udc80")) {
      assertEquals(files.getPath(name), Path.of(files.getPath(name).toUri()), name);
    }
    assertThrows(ProviderMismatchException.class, () -> files.getPath("/a").resolve(Path.of("b")));
    assertEquals(files.getPath("/a/b"), files.getPath("/a").resolve("b"));
  }

  @Test
  void shouldHaveNamesThatAreNoText() throws Exception {
    Path file = files.getPath("/\udcff-ä€😀");
    Files.writeString(file, "x");
    try (var all = Files.newDirectoryStream(files.getPath("/"), path -> path.toString().startsWith("/\udcff"))) {
      assertEquals(List.of(file), java.util.stream.StreamSupport.stream(all.spliterator(), false).toList());
    }
    Files.delete(file);
  }

  @Test
  void shouldEndWhatIsOpenWhenTheFileSystemIsClosed() throws Exception {
    FileSystem system = FileSystems.newFileSystem(URI.create("pvfs://closing/"), Map.of("files", cluster.connect(Caller.ROOT)));
    Path file = system.getPath("/closing");
    FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
    var directory = Files.newDirectoryStream(system.getPath("/"));
    WatchService watch = system.newWatchService();
    system.close();
    system.close();
    assertFalse(system.isOpen());
    assertThrows(ClosedChannelException.class, () -> channel.write(ByteBuffer.allocate(1)));
    assertThrows(IllegalStateException.class, directory::iterator);
    assertThrows(ClosedWatchServiceException.class, watch::take);
    assertThrows(ClosedFileSystemException.class, () -> Files.readString(file));
    assertFalse(Files.exists(files.getPath("/closing")), "it was to be deleted when it is closed");
    assertThrows(FileSystemNotFoundException.class, () -> FileSystems.getFileSystem(URI.create("pvfs://closing/")));
  }

  @Test
  void shouldShowAndSetStriping() throws Exception {
    Path file = Files.createFile(files.getPath("/striped"), PvfsFileAttributeView.base(1), PvfsFileAttributeView.count(2),
        PvfsFileAttributeView.stripeSize(12_345));
    PvfsFileAttributes of = Files.readAttributes(file, PvfsFileAttributes.class);
    assertEquals("1 2 12345", of.striping().base() + " " + of.striping().count() + " " + of.striping().stripeBytes());
    assertEquals(12_345, Files.getAttribute(file, "pvfs:stripeSize"));
    Path directory = Files.createDirectory(files.getPath("/wide"));
    Files.getFileAttributeView(directory, PvfsFileAttributeView.class).setDefaultStriping(new StripingWish(2, 1, 4096));
    Files.setAttribute(directory, "pvfs:stripeSize", 8192);
    assertEquals(8192, Files.readAttributes(Files.createFile(directory.resolve("f")), PvfsFileAttributes.class).striping().stripeBytes());
    assertTrue(assertThrows(FileSystemException.class, () -> Files.setAttribute(file, "pvfs:count", 1)).getMessage().contains("when it is made"));
    assertTrue(assertThrows(FileSystemException.class, () -> Files.createFile(files.getPath("/x"), PvfsFileAttributeView.count(9))).getMessage()
        .contains("invalid"));
    Path copy = Files.copy(file, files.getPath("/copied"), StandardCopyOption.COPY_ATTRIBUTES);
    assertEquals(12_345, Files.getAttribute(copy, "pvfs:stripeSize"), "a copy with attributes is striped alike");
    assertEquals("pvfs", Files.getFileStore(file).type());
    assertTrue(Files.getFileStore(file).getUsableSpace() > 0 && Files.getFileStore(file).supportsFileAttributeView("pvfs"));
  }

  @Test
  void shouldKeepAttributesOfUsers() throws Exception {
    Path file = Files.createFile(files.getPath("/user"));
    var view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
    byte[] value = new byte[3000];
    java.util.Arrays.fill(value, (byte) 7);
    assertEquals(3000, view.write("colour", ByteBuffer.wrap(value)));
    Files.setAttribute(file, "user:size", new byte[] {1, 2});
    assertEquals(List.of("colour", "size"), view.list().stream().sorted().toList());
    ByteBuffer back = ByteBuffer.allocate(view.size("colour"));
    assertEquals(3000, view.read("colour", back));
    assertArrayEquals(value, back.array());
    assertArrayEquals(new byte[] {1, 2}, (byte[]) Files.getAttribute(file, "user:size"));
    assertTrue(assertThrows(FileSystemException.class, () -> view.read("colour", ByteBuffer.allocate(10))).getMessage().contains("has 3000 bytes"));
    view.delete("colour");
    assertThrows(FileSystemException.class, () -> view.size("colour"));
    assertThrows(FileSystemException.class, () -> view.write("large", ByteBuffer.allocate(1 << 20)));
    assertEquals("2", new String((byte[]) Files.getAttribute(Files.copy(file, files.getPath("/user2"), StandardCopyOption.COPY_ATTRIBUTES), "user:size"), 1, 1,
        java.nio.charset.StandardCharsets.US_ASCII).replace('\2', '2'));
  }

  @Test
  void shouldTellWhatChangesInADirectory() throws Exception {
    Path directory = Files.createDirectory(files.getPath("/watched"));
    Files.writeString(directory.resolve("old"), "x");
    try (WatchService service = files.newWatchService()) {
      WatchKey key = directory.register(service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE,
          StandardWatchEventKinds.ENTRY_MODIFY);
      assertSame(key, directory.register(service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE,
          StandardWatchEventKinds.ENTRY_MODIFY));
      assertNull(service.poll());
      assertEquals(Map.of("new", "ENTRY_CREATE"), changed(service, key, () -> Files.createFile(directory.resolve("new")), 1));
      assertEquals(Map.of("old", "ENTRY_MODIFY"), changed(service, key, () -> Files.writeString(directory.resolve("old"), "more"), 1));
      assertEquals(Map.of("old", "ENTRY_DELETE", "older", "ENTRY_CREATE"), changed(service, key,
          () -> Files.move(directory.resolve("old"), directory.resolve("older")), 2));
      Files.delete(directory.resolve("new"));
      Files.delete(directory.resolve("older"));
      Files.delete(directory);
      while (key.isValid()) {
        assertNotNull(service.poll(90, TimeUnit.SECONDS));
        key.pollEvents();
        key.reset();
      }
      assertFalse(key.reset());
    }
  }

  private interface Action {
    Object run() throws IOException;
  }

  private static Map<String, String> changed(WatchService service, WatchKey key, Action action, int count) throws Exception {
    action.run();
    Map<String, String> seen = new HashMap<>();
    while (seen.size() < count) {
      assertSame(key, service.poll(90, TimeUnit.SECONDS));
      key.pollEvents().forEach(event -> seen.put(String.valueOf(event.context()), event.kind().name()));
      assertTrue(key.reset());
    }
    return seen;
  }

  @Test
  void shouldRefuseWhomPermissionsRefuse() throws Exception {
    Path secret = Files.createFile(files.getPath("/secret"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (FileSystem user = FileSystems.newFileSystem(URI.create("pvfs://user/"), Map.of("files", cluster.connect(new Caller(1000, 1000, List.of()))))) {
      assertThrows(AccessDeniedException.class, () -> Files.readString(user.getPath("/secret")));
      assertThrows(AccessDeniedException.class, () -> Files.createDirectory(user.getPath("/mine")));
      assertFalse(Files.isReadable(user.getPath("/secret")));
      assertTrue(Files.isReadable(secret) && Files.isWritable(secret) && !Files.isExecutable(secret));
      assertThrows(AtomicMoveNotSupportedException.class, () -> Files.move(secret, user.getPath("/other"), StandardCopyOption.ATOMIC_MOVE));
    }
  }

  /** Two connections to one manager are two file systems: to replace a file by itself must not remove it. */
  @Test
  void shouldKeepAFileThatIsCopiedOrMovedToItselfByAnotherConnection() throws Exception {
    Path file = Files.writeString(files.getPath("/once"), "all there is");
    Path empty = Files.createDirectory(files.getPath("/empty-once"));
    Files.createSymbolicLink(files.getPath("/leads"), file);
    try (FileSystem other = FileSystems.newFileSystem(URI.create("pvfs://again/"), Map.of("files", cluster.connect(Caller.ROOT)))) {
      Files.copy(file, other.getPath("/once"), StandardCopyOption.REPLACE_EXISTING);
      Files.copy(files.getPath("/leads"), other.getPath("/once"), StandardCopyOption.REPLACE_EXISTING);
      Files.move(file, other.getPath("/once"), StandardCopyOption.REPLACE_EXISTING);
      Files.move(empty, other.getPath("/empty-once"), StandardCopyOption.REPLACE_EXISTING);
      assertEquals("all there is", Files.readString(file));
      assertTrue(Files.isDirectory(empty));
      Files.move(file, other.getPath("/twice"));
      assertEquals("all there is", Files.readString(other.getPath("/twice")));
      assertFalse(Files.exists(file), "another name of the same file system is another file");
      Files.writeString(file, "new");
      Files.copy(file, other.getPath("/twice"), StandardCopyOption.REPLACE_EXISTING);
      assertEquals("new", Files.readString(files.getPath("/twice")));
    }
  }

  /** Of fabrics whose daemons have the same names, and whose files have the same numbers. */
  @Test
  void shouldTellFilesOfTwoManagersApart() throws Exception {
    try (FileSystemCluster one = new FileSystemCluster(1, ""); FileSystemCluster two = new FileSystemCluster(1, "");
        FileSystem here = FileSystems.newFileSystem(URI.create("pvfs://one/"), Map.of("files", one.connect(Caller.ROOT)));
        FileSystem there = FileSystems.newFileSystem(URI.create("pvfs://two/"), Map.of("files", two.connect(Caller.ROOT)))) {
      Files.writeString(here.getPath("/f"), "of here");
      Files.writeString(there.getPath("/f"), "of there");
      assertEquals(Files.getAttribute(here.getPath("/f"), "unix:ino"), Files.getAttribute(there.getPath("/f"), "unix:ino"));
      Files.copy(here.getPath("/f"), there.getPath("/f"), StandardCopyOption.REPLACE_EXISTING);
      assertEquals("of here", Files.readString(there.getPath("/f")));
      Files.writeString(here.getPath("/f"), "later");
      Files.move(here.getPath("/f"), there.getPath("/f"), StandardCopyOption.REPLACE_EXISTING);
      assertEquals("later", Files.readString(there.getPath("/f")));
      assertFalse(Files.exists(here.getPath("/f")));
    }
  }

  @Test
  void shouldCopyAttributesAsFarAsTheirNewOwnerMayHaveThem() throws Exception {
    Path theirs = Files.createDirectory(files.getPath("/theirs"));
    Files.setPosixFilePermissions(theirs, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path file = Files.writeString(files.getPath("/theirs/run-me"), "run");
    Files.setAttribute(file, "unix:mode", 06755);
    try (FileSystem user = FileSystems.newFileSystem(URI.create("pvfs://user-2/"), Map.of("files", cluster.connect(new Caller(1000, 1000, List.of()))))) {
      Path copy = Files.copy(user.getPath("/theirs/run-me"), user.getPath("/theirs/mine"), StandardCopyOption.COPY_ATTRIBUTES);
      assertEquals(0755, (int) Files.getAttribute(copy, "unix:mode") & 07777, "nobody runs it as its new owner");
      Files.setAttribute(copy, "user:note", ByteBuffer.wrap(new byte[] {1, 2}));
      Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("r--r--r--"));
      Path second = Files.copy(copy, user.getPath("/theirs/second"), StandardCopyOption.COPY_ATTRIBUTES);
      assertEquals("r--r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(second)));
      ByteBuffer note = ByteBuffer.allocate(2);
      assertEquals(2, Files.getFileAttributeView(second, java.nio.file.attribute.UserDefinedFileAttributeView.class).read("note", note));
    }
    Path ours = Files.copy(file, files.getPath("/theirs/ours"), StandardCopyOption.COPY_ATTRIBUTES);
    assertEquals(06755, (int) Files.getAttribute(ours, "unix:mode") & 07777, "root gives it its owner, too");
  }

  @Test
  void shouldTakeNoGroupForAnOwner() throws Exception {
    Path file = Files.createFile(files.getPath("/owned"));
    var group = files.getUserPrincipalLookupService().lookupPrincipalByGroupName("100");
    assertThrows(IOException.class, () -> Files.setOwner(file, group));
    assertThrows(IOException.class, () -> Files.setAttribute(file, "posix:owner", group));
    assertEquals(0, (int) Files.getAttribute(file, "unix:uid"));
  }

  @Test
  void shouldCallAHandlerOnItsThreadsAndOnlyThere() throws Exception {
    Path file = Files.write(files.getPath("/handled"), new byte[10]);
    AsynchronousFileChannel channel = AsynchronousFileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    assertThrows(NullPointerException.class, () -> channel.write(ByteBuffer.allocate(100), 0, null, null));
    assertThrows(NullPointerException.class, () -> channel.lock(0, 10, false, null, null));
    try (FileChannel again = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertTrue(again.tryLock(0, 10, false).isValid(), "nothing has begun");
    }
    assertEquals(10, Files.size(file));
    channel.close();
    Thread caller = Thread.currentThread();
    int[] times = {0};
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    channel.read(ByteBuffer.allocate(1), 0, null, new CompletionHandler<Integer, Object>() {
      @Override
      public void completed(Integer bytes, Object attachment) {
        over.complete(false);
      }

      @Override
      public void failed(Throwable failed, Object attachment) {
        if (Thread.currentThread() == caller) {
          over.complete(false);
        } else if (++times[0] < 20_000) {
          channel.read(ByteBuffer.allocate(1), 0, null, this);
        } else {
          over.complete(true);
        }
      }
    });
    assertTrue(over.get(60, TimeUnit.SECONDS));
  }

  @Test
  void shouldWatchDirectoriesOfItsOwnFileSystemOnly() throws Exception {
    Files.createDirectory(files.getPath("/watched-here"));
    try (FileSystem other = FileSystems.newFileSystem(URI.create("pvfs://watch/"), Map.of("files", cluster.connect(Caller.ROOT)));
        WatchService service = other.newWatchService()) {
      assertThrows(ProviderMismatchException.class, () -> files.getPath("/watched-here").register(service, StandardWatchEventKinds.ENTRY_CREATE));
      assertTrue(other.getPath("/watched-here").register(service, StandardWatchEventKinds.ENTRY_CREATE).isValid());
    }
  }

  @Test
  void shouldCopyFromAndToTheHost(@TempDir Path host) throws Exception {
    byte[] data = new byte[3_000_000];
    new java.util.Random(4).nextBytes(data);
    Path file = Files.write(host.resolve("f"), data);
    assertEquals(-1, Files.mismatch(file, Files.copy(file, files.getPath("/from-host"))));
    Files.move(files.getPath("/from-host"), host.resolve("back"));
    assertEquals(-1, Files.mismatch(file, host.resolve("back")));
    assertFalse(Files.exists(files.getPath("/from-host")));
  }

  @Test
  void shouldCloseTheChannelOfAThreadThatIsInterrupted() throws Exception {
    Path file = Files.write(files.getPath("/interrupted"), new byte[1000]);
    FileChannel channel = FileChannel.open(file);
    Thread.currentThread().interrupt();
    assertThrows(ClosedByInterruptException.class, () -> channel.read(ByteBuffer.allocateDirect(1000)));
    assertTrue(Thread.interrupted(), "the interrupt is still there");
    assertFalse(channel.isOpen());
  }

  @Test
  void shouldSayWhyThereAreNoMaps() throws Exception {
    try (FileChannel channel = FileChannel.open(Files.write(files.getPath("/plain"), new byte[10]), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      assertTrue(assertThrows(UnsupportedOperationException.class, () -> channel.map(FileChannel.MapMode.READ_ONLY, 0, 10)).getMessage()
          .contains("cannot map memory"));
    }
    assertInstanceOf(PvfsFileSystemProvider.class, files.provider());
  }

  @Test
  void shouldLockAmongAllClients() throws Exception {
    Path file = Files.write(files.getPath("/locked"), new byte[100]);
    try (FileSystem other = FileSystems.newFileSystem(URI.create("pvfs://locks/"), Map.of("files", cluster.connect(Caller.ROOT)));
        FileChannel ours = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileChannel again = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      AsynchronousFileChannel theirs = AsynchronousFileChannel.open(other.getPath("/locked"), StandardOpenOption.READ, StandardOpenOption.WRITE);
      FileLock lock = ours.lock(0, 10, false);
      assertTrue(lock.isValid() && !lock.isShared());
      assertThrows(OverlappingFileLockException.class, () -> again.tryLock(5, 5, true));
      assertNull(theirs.tryLock(5, 5, true), "another client");
      assertTrue(theirs.tryLock(10, 5, true).isValid());
      assertTrue(again.tryLock(10, 5, true).isValid(), "both shared");
      Future<FileLock> waits = theirs.lock(0, 10, false);
      assertFalse(waits.isDone());
      lock.release();
      assertTrue(waits.get(90, TimeUnit.SECONDS).isValid());
      assertFalse(lock.isValid());
      assertNull(ours.tryLock(9, 1, false));
      theirs.close();
      assertTrue(ours.lock(9, 1, false).isValid(), "what was closed has none");
      try (FileChannel reads = FileChannel.open(file)) {
        assertThrows(NonWritableChannelException.class, () -> reads.tryLock(50, 1, false));
      }
    }
  }
}

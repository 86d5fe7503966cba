package dev.weft.pvfs.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The life of a mount: how it ends, with whatever is under way, and what the kernel is told meanwhile. */
@Tag("client")
@Timeout(180)
class FuseMountTest {
  private static final byte[] ABC = "abc".getBytes(StandardCharsets.US_ASCII);

  @TempDir
  Path temporary;

  @BeforeAll
  static void assumePossible() throws Exception {
    MountedMemory.assumePossible();
  }

  /** A directory with one file, of which the test says how it is read. */
  private abstract static class OneFile implements FuseFileSystem {
    static final long FILE = 2;

    static FuseAttributes attributes(long inode) {
      int mode = inode == Protocol.ROOT ? MemoryInode.DIRECTORY | 0755 : MemoryInode.FILE | 0666;
      return new FuseAttributes(inode, mode, 1, 0, 0, 0, inode == FILE ? 4096 : 0, 0, 4096, 0, 0, 0);
    }

    @Override
    public void lookup(long parent, byte[] name, FuseReply.Lookup reply) {
      reply.entry(attributes(FILE), 0);
    }

    @Override
    public void getattr(long inode, long handle, FuseReply.Attributes reply) {
      reply.attributes(attributes(inode));
    }

    @Override
    public void open(long inode, int flags, boolean dropsPrivilege, FuseReply.Open reply) {
      reply.opened(1, false);
    }
  }

  private static String connection(MountedMemory mounted) throws IOException {
    return MountTable.at(mounted.mount().directory()).device();
  }

  @Test
  void shouldAnswerWhatIsOutstandingWhenItIsClosed() throws Exception {
    Queue<FuseReply.Data> readers = new ConcurrentLinkedQueue<>();
    Queue<FuseReply.Count> writers = new ConcurrentLinkedQueue<>();
    FuseFileSystem silent = new OneFile() {
      @Override
      public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
        readers.add(reply);
      }

      @Override
      public void write(long inode, long handle, long offset, MemorySegment data, int flags, boolean isWriteback, boolean dropsPrivilege,
          FuseReply.Count reply) {
        writers.add(reply);
      }
    };
    try (MountedMemory mounted = MountedMemory.of(silent, MountedMemory.options().closeTimeout(Duration.ofMillis(100)));
        Command reader = Command.start("cat", mounted.path("a"));
        Command writer = Command.start("dd", "if=/dev/zero", "of=" + mounted.path("a"), "bs=4096", "count=1", "conv=notrunc")) {
      Waits.await(() -> !readers.isEmpty() && !writers.isEmpty(), () -> "nobody has asked");
      mounted.end();
      assertNotEquals(0, reader.exit(20));
      assertTrue(reader.printed().contains("Input/output error"), reader.printed());
      assertNotEquals(0, writer.exit(20));
      readers.remove().data(MemorySegment.ofArray(ABC)); // Too late, and of no harm.
      writers.remove().count(4096);
      assertEquals(0, mounted.mount().outstanding());
    }
  }

  @Test
  void shouldSayWhoseThreadIsTheLastThatCouldReadRequests() throws Exception {
    CountDownLatch secondHasCome = new CountDownLatch(1);
    Queue<Boolean> answers = new ConcurrentLinkedQueue<>();
    FuseFileSystem slow = new OneFile() {
      @Override
      public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
        try {
          if (answers.isEmpty()) {
            Waits.await(() -> !reply.isLastReader(), () -> "the other thread does not read");
            answers.add(false);
            assertTrue(secondHasCome.await(90, TimeUnit.SECONDS));
          } else {
            answers.add(reply.isLastReader());
            secondHasCome.countDown();
          }
        } catch (InterruptedException ending) {
          Thread.currentThread().interrupt();
        }
        reply.data();
      }
    };
    try (MountedMemory mounted = MountedMemory.of(slow, MountedMemory.options().threads(2));
        Command first = reader(mounted)) {
      Waits.await(() -> !answers.isEmpty(), () -> "nobody reads");
      try (Command second = reader(mounted)) {
        second.succeed(20);
      }
      first.succeed(20);
      assertEquals(List.of(false, true), List.copyOf(answers));
      mounted.assertQuiet();
    }
  }

  /** Reads are answered when the third has come, all of them. */
  @Test
  void shouldSayWhichRequestsAreOfMany() throws Exception {
    Queue<Boolean> ofMany = new ConcurrentLinkedQueue<>();
    Queue<FuseReply.Data> waiting = new ConcurrentLinkedQueue<>();
    FuseFileSystem later = new OneFile() {
      @Override
      public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
        waiting.add(reply);
        ofMany.add(reply.isOneOfMany());
        if (ofMany.size() == 3) {
          waiting.forEach(FuseReply.Data::data);
        }
      }
    };
    try (MountedMemory mounted = MountedMemory.of(later, MountedMemory.options().threads(1));
        Command first = reader(mounted)) {
      Waits.await(() -> ofMany.size() == 1, () -> "nobody reads");
      try (Command second = reader(mounted)) {
        Waits.await(() -> ofMany.size() == 2, () -> "the second does not read");
        try (Command third = reader(mounted)) {
          third.succeed(20);
        }
        second.succeed(20);
      }
      first.succeed(20);
      assertEquals(List.of(false, false, true), List.copyOf(ofMany));
      mounted.assertQuiet();
    }
  }

  /** With one thread, and four buffers beside its own. */
  @Test
  void shouldReadRequestsWhileOthersWaitForLong() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    Queue<Boolean> begun = new ConcurrentLinkedQueue<>();
    FuseFileSystem waiting = new OneFile() {
      @Override
      public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
        boolean begins = reply.runLater(() -> {
          reply.onInterrupt(over::countDown);
          Waits.await(() -> over.getCount() == 0, () -> "nobody has ended it");
          reply.data();
        });
        begun.add(begins);
        if (!begins) {
          reply.fail(Errno.ENOLCK);
        }
      }
    };
    try (MountedMemory mounted = MountedMemory.of(waiting, MountedMemory.options().threads(1).buffers(4).closeTimeout(Duration.ofMillis(100)));
        Command first = reader(mounted);
        Command second = reader(mounted)) {
      Waits.await(() -> begun.size() == 2, begun::toString);
      try (Command third = reader(mounted); Command look = Command.start("stat", mounted.path("a"))) {
        assertNotEquals(0, third.exit(20));
        assertTrue(third.printed().contains("No locks available"), third.printed());
        look.succeed(20);
      }
      assertEquals(List.of(true, true, false), List.copyOf(begun));
      mounted.end();
      assertEquals(0, over.getCount(), "it ends the waits");
      assertNotEquals(0, first.exit(20));
      assertNotEquals(0, second.exit(20));
      mounted.assertQuiet();
    }
  }

  private static Command reader(MountedMemory mounted) throws IOException {
    return Command.start("dd", "iflag=direct", "bs=4096", "count=1", "if=" + mounted.path("a"), "of=/dev/null");
  }

  @Test
  void shouldAnswerWhatFailsOnAThreadOfItsOwn() throws Exception {
    FuseFileSystem failing = new OneFile() {
      @Override
      public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
        assertTrue(reply.runLater(() -> {
          throw new OutOfMemoryError("planted");
        }));
      }
    };
    try (MountedMemory mounted = MountedMemory.of(failing, MountedMemory.options()); Command reader = reader(mounted)) {
      assertNotEquals(0, reader.exit(20));
      assertTrue(reader.printed().contains("Input/output error"), reader.printed());
      assertEquals(0, mounted.mount().outstanding());
      assertEquals(1, mounted.mount().failures());
    }
  }

  @Test
  void shouldEndBesideAProgramThatKeepsAFileOpen() throws Exception {
    MemoryFileSystem memory = new MemoryFileSystem(1 << 20);
    try (MountedMemory mounted = MountedMemory.of(memory, MountedMemory.options());
        Command holder = Command.start("sh", "-c", "exec 3> " + mounted.path("a") + "; echo open; while echo more >&3; do sleep 0.02; done; exit 7")) {
      holder.expect("open");
      mounted.end();
      assertTrue(memory.isDestroyed);
      assertEquals(7, holder.exit(20), holder.printed());
      assertNull(MountTable.at(mounted.mount().directory()));
    }
  }

  @Test
  void shouldEndWhenSomebodyElseUnmountsIt() throws Exception {
    MemoryFileSystem memory = new MemoryFileSystem(1 << 20);
    try (MountedMemory mounted = MountedMemory.of(memory, MountedMemory.options())) {
      Command.run("umount", mounted.path());
      mounted.mount().ended().get(90, TimeUnit.SECONDS);
      assertTrue(memory.isDestroyed);
      mounted.end();
      mounted.end();
    }
  }

  @Test
  void shouldLeaveAnotherMountAloneThatTookItsPlace() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("mount"));
    FuseMount first = FuseMount.mount(new MemoryFileSystem(1 << 20), directory, MountedMemory.options());
    Command.run("umount", directory.toString());
    first.ended().get(90, TimeUnit.SECONDS);
    try (FuseMount second = FuseMount.mount(new MemoryFileSystem(1 << 20), directory, MountedMemory.options())) {
      Command.sh("echo second > " + directory + "/a");
      first.close();
      assertEquals("second\n", Command.run("cat", directory + "/a"));
      assertFalse(second.ended().isDone());
    }
    assertNull(MountTable.at(directory.toRealPath()));
  }

  @Test
  void shouldUnmountNothingButMountsOfItsName() throws Exception {
    MemoryFileSystem memory = new MemoryFileSystem(1 << 20);
    try (MountedMemory mounted = MountedMemory.of(memory, MountedMemory.options())) {
      Path directory = mounted.mount().directory();
      FuseOptions another = FuseOptions.named("another");
      String refused = assertThrows(IllegalArgumentException.class, () -> FuseMount.unmount(directory, true, another)).getMessage();
      assertTrue(refused.contains("is of type fuse.weft-test"), refused);
      refused = assertThrows(IllegalArgumentException.class, () -> FuseMount.unmount(temporary, true, another)).getMessage();
      assertTrue(refused.contains("nothing is mounted there"), refused);
      Path link = Files.createSymbolicLink(temporary.resolve("link"), directory.getParent());
      FuseMount.unmount(link.resolve(directory.getFileName()), false, MountedMemory.options());
      mounted.mount().ended().get(90, TimeUnit.SECONDS);
      assertTrue(memory.isDestroyed);
    }
  }

  @Test
  void shouldTakeTheMountAwayWhenItsConnectionIsAborted() throws Exception {
    MemoryFileSystem memory = new MemoryFileSystem(1 << 20);
    try (MountedMemory mounted = MountedMemory.of(memory, MountedMemory.options())) {
      Path connections = Files.createDirectory(temporary.resolve("connections"));
      String minor = connection(mounted).split(":")[1];
      Command.run("mount", "-t", "fusectl", "none", connections.toString());
      try {
        Files.writeString(connections.resolve(minor).resolve("abort"), "1");
      } finally {
        Command.run("umount", connections.toString());
      }
      mounted.mount().ended().get(90, TimeUnit.SECONDS);
      assertNull(MountTable.at(mounted.mount().directory()));
      assertTrue(memory.isDestroyed);
    }
  }

  @Test
  void shouldLeaveNothingStuckWhenItsProcessIsKilled() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("mount"));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    try (Command server = Command.start(java, "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), "-Xmx64m",
        MountMain.class.getName(), directory.toString(), "FULL", "1000000", "writeback")) {
      server.expect("mounted");
      try (Command holder = Command.start("sh", "-c", "exec 3> " + directory + "/a; flock 3; echo open; while echo more >&3; do sleep 0.02; done; exit 7")) {
        holder.expect("open");
        server.process().destroyForcibly();
        server.process().waitFor();
        assertEquals(7, holder.exit(20), holder.printed());
        try (Command late = Command.start("ls", directory.toString())) {
          assertNotEquals(0, late.exit(20));
          assertTrue(late.printed().contains("not connected"), late.printed());
        }
        IOException refused = assertThrows(IOException.class, () -> FuseMount.mount(new MemoryFileSystem(1 << 20), directory, MountedMemory.options()));
        assertTrue(refused.getMessage().contains("umount -l"), refused.getMessage());
      }
    } finally {
      Command.run("umount", "-l", directory.toString());
    }
  }

  @Test
  void shouldGoOnWhenTheFileSystemFails() throws Exception {
    FuseFileSystem failing = new OneFile() {
      @Override
      public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
        throw new IllegalStateException("planted");
      }
    };
    try (MountedMemory mounted = MountedMemory.of(failing, MountedMemory.options())) {
      for (int i = 0; i < 3; i++) {
        try (Command reader = Command.start("cat", mounted.path("a"))) {
          assertEquals(1, reader.exit(20));
          assertTrue(reader.printed().contains("Input/output error"), reader.printed());
        }
      }
      assertEquals(3, mounted.mount().failures());
      assertEquals("4096\n", Command.run("stat", "-c", "%s", mounted.path("a")));
    }
  }

  @Test
  void shouldDoWithoutWhatTheFileSystemDoesNotHave() throws Exception {
    try (MountedMemory mounted = MountedMemory.of(new OneFile() {}, MountedMemory.options())) {
      try (Command maker = Command.start("mkdir", mounted.path("d", "e"))) {
        assertNotEquals(0, maker.exit(20));
      }
      try (Command reader = Command.start("cat", mounted.path("a"))) {
        assertEquals(1, reader.exit(20));
        assertTrue(reader.printed().contains("Function not implemented"), reader.printed());
      }
      mounted.assertQuiet();
    }
  }

  @Test
  void shouldServeOthersWhileMoreLocksWaitThanRequestsMayBeInFlight() throws Exception {
    MemoryFileSystem memory = new MemoryFileSystem(1 << 20);
    List<Command> waiting = new ArrayList<>();
    try (MountedMemory mounted = MountedMemory.of(memory, MountedMemory.options().threads(2).inFlight(4).waitingLocks(10));
        Command holder = Command.start("flock", mounted.path("lock"), "sh", "-c",
            "echo locked; while ! test -e " + mounted.path("go") + "; do sleep 0.02; done")) {
      holder.expect("locked");
      for (int i = 0; i < 10; i++) {
        waiting.add(Command.start("flock", mounted.path("lock"), "true"));
      }
      Waits.await(() -> mounted.mount().waitingLocks() == 10, () -> "not all of them wait");
      try (Command oneMore = Command.start("flock", mounted.path("lock"), "true")) {
        assertNotEquals(0, oneMore.exit(20), "one lock more than may be waited for");
        assertTrue(oneMore.printed().contains("No locks available"), oneMore.printed());
      }
      waiting.getFirst().process().destroyForcibly();
      Waits.await(() -> mounted.mount().waitingLocks() == 9, () -> "the one that was killed still waits");
      Command.sh("touch " + mounted.path("go"));
      holder.succeed(20);
      for (Command one : waiting.subList(1, 10)) {
        one.succeed(20);
      }
      mounted.assertQuiet();
    } finally {
      for (Command one : waiting) {
        one.close();
      }
    }
  }

  @Test
  void shouldShowWhatWasChangedBehindTheKernelsBackWhenItIsTold() throws Exception {
    MemoryFileSystem memory = new MemoryFileSystem(1 << 20);
    FuseOptions options = MountedMemory.options().cache(CacheMode.FULL).valid(Duration.ofHours(1), Duration.ofHours(1));
    try (MountedMemory mounted = MountedMemory.of(memory, options)) {
      Command.sh("echo old > " + mounted.path("a") + "; cat " + mounted.path("a"));
      MemoryInode file = memory.find("a");
      assertTrue(file.content.write(0, MemorySegment.ofArray("new".getBytes(StandardCharsets.US_ASCII))));
      assertEquals("old\n", Command.run("cat", mounted.path("a")), "the kernel remembers it");
      assertTrue(memory.notifier.invalidateInode(file.number, 0, 0));
      assertEquals("new\n", Command.run("cat", mounted.path("a")));
      synchronized (memory) {
        MemoryInode root = memory.find();
        root.remove("a");
        root.put("b", file);
      }
      assertEquals("new\n", Command.run("cat", mounted.path("a")), "the kernel remembers the name");
      assertTrue(memory.notifier.invalidateEntry(Protocol.ROOT, new byte[] {'a'}));
      assertEquals("gone\n", Command.sh("cat " + mounted.path("a") + " 2> /dev/null || echo gone"));
      assertFalse(memory.notifier.invalidateInode(4711, 0, 0), "nobody has asked for this one");
      assertFalse(memory.notifier.invalidateEntry(Protocol.ROOT, new byte[] {'z'}));
    }
    assertFalse(memory.notifier.invalidateInode(Protocol.ROOT, 0, 0), "the mount has ended");
  }

  @Test
  void shouldMountByTheHelperOfOrdinaryUsers() throws Exception {
    Needs.program("fusermount3", "fuse3");
    MemoryFileSystem memory = new MemoryFileSystem(1 << 20);
    try (MountedMemory mounted = MountedMemory.of(memory, MountedMemory.options().mounter(FuseOptions.Mounter.FUSERMOUNT).readOnly(false))) {
      Command.sh("echo here > " + mounted.path("a"));
      assertEquals("here\n", Command.run("cat", mounted.path("a")));
      assertTrue(Command.run("cat", "/proc/mounts").contains("weft-test " + mounted.path() + " fuse.weft-test rw,"));
    }
    assertTrue(memory.isDestroyed);
    Path file = Files.createFile(temporary.resolve("file"));
    FuseOptions options = MountedMemory.options().mounter(FuseOptions.Mounter.FUSERMOUNT);
    assertThrows(IOException.class, () -> FuseMount.mount(new MemoryFileSystem(1 << 20), file, options));
  }

  @Test
  void shouldRefuseToWriteWhereItIsMountedReadOnly() throws Exception {
    try (MountedMemory mounted = MountedMemory.of(new MemoryFileSystem(1 << 20), MountedMemory.options().readOnly(true));
        Command writer = Command.start("touch", mounted.path("a"))) {
      assertNotEquals(0, writer.exit(20));
      assertTrue(writer.printed().contains("Read-only"), writer.printed());
    }
  }

  @Test
  void shouldMountAtADirectoryWhoseNameIsUnusual() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("a b\\c, d=e"));
    try (FuseMount mount = FuseMount.mount(new MemoryFileSystem(1 << 20), directory, MountedMemory.options())) {
      assertEquals(directory.toRealPath(), mount.directory());
      Command.run("touch", directory + "/x");
    }
    assertNull(MountTable.at(directory.toRealPath()));
  }

  @Test
  void shouldSayWhatIsWrongWithThePlace() {
    FuseFileSystem files = new MemoryFileSystem(1 << 20);
    Path none = temporary.resolve("none");
    assertTrue(assertThrows(IOException.class, () -> FuseMount.mount(files, none, MountedMemory.options())).getMessage().contains("mkdir"));
  }

  @Test
  void shouldGiveEachConnectionItsOwnDevice() throws Exception {
    try (MountedMemory one = MountedMemory.of(new MemoryFileSystem(1 << 20), MountedMemory.options());
        MountedMemory other = MountedMemory.of(new MemoryFileSystem(1 << 20), MountedMemory.options())) {
      assertNotEquals(connection(one), connection(other));
      Command.sh("cd " + one.path() + "; echo one > a; cp a " + other.path() + "; cmp a " + other.path("a"));
    }
  }
}

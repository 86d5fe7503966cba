package dev.weft.pvfs.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.cluster.SmallFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("jvms")
class RocksStoreTest extends StoreContract {
  static final RocksSettings SMALL = new RocksSettings(1 << 20, 1 << 20, 4 << 20);

  @TempDir
  Path temporary;

  private Path directory() {
    return temporary.resolve("meta");
  }

  @Override
  MetadataStore open() {
    return RocksStore.open(directory(), SMALL);
  }

  /** A JVM that is killed would leave 17 MB. */
  @Test
  void shouldLeaveNoCopyOfTheLibrary() throws IOException {
    RocksStore.open(temporary.resolve("library"), RocksSettings.DEFAULT).close();
    try (Stream<String> mapped = Files.lines(Path.of("/proc/self/maps"))) {
      List<String> copies = mapped.filter(line -> line.contains("librocksdbjni")).map(line -> line.substring(line.indexOf('/'))).distinct().toList();
      assertEquals(1, copies.size(), copies::toString);
      assertTrue(copies.getFirst().endsWith(" (deleted)"), copies::toString);
    }
  }

  @Test
  void shouldNameTheDirectoryAndTheProcessThatHasIt() throws Exception {
    try (MetadataStore first = open()) {
      String refusal = assertThrows(StoreException.class, this::open).getMessage();
      assertEquals("directory " + directory() + " is in use by another manager (this process, " + ProcessHandle.current().pid()
          + "); stop that one, or name another directory", refusal);
      assertTrue(first.isOpen());
    }
  }

  @Test
  void shouldRefuseADirectoryOfAnotherProcessAndFindAllThatItAcknowledgedBeforeItWasKilled() throws Exception {
    try (CommittingProcess writer = CommittingProcess.start(directory())) {
      writer.awaitCommits(200);
      String refusal = assertThrows(StoreException.class, this::open).getMessage();
      assertTrue(refusal.contains("(process " + writer.pid() + ")") && refusal.contains(directory().toString()), refusal);
      long acknowledged = writer.kill();
      try (MetadataStore store = open()) {
        long found = ByteBuffer.wrap(store.get(bytes("last"))).getLong();
        assertTrue(found == acknowledged || found == acknowledged + 1, found + " batches were found, " + acknowledged + " acknowledged");
        for (long number = 1; number <= found; number++) {
          assertNotNull(store.get(CommittingProcess.key('a', number)), "first key of batch " + number);
          assertNotNull(store.get(CommittingProcess.key('b', number)), "second key of batch " + number);
        }
        assertEquals(null, store.get(CommittingProcess.key('a', found + 1)));
      }
    }
  }

  @Test
  void shouldSayWhatIsWrongWithADirectory() throws Exception {
    Path file = Files.createFile(temporary.resolve("file"));
    assertRefused(file, "is not a directory");
    assertRefused(file.resolve("below"), "Not a directory");
    Path open = Files.createDirectory(temporary.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertRefused(open, "is open to other users");
  }

  private static void assertRefused(Path directory, String why) {
    String message = assertThrows(StoreException.class, () -> RocksStore.open(directory, SMALL)).getMessage();
    assertTrue(message.contains(why) && message.contains(directory.toString()), message);
  }

  @Test
  void shouldRefuseAReadOnlyFileSystem() throws Exception {
    try (SmallFileSystem mounted = SmallFileSystem.mount(Files.createDirectory(temporary.resolve("ro")), 16)) {
      mounted.makeReadOnly();
      assertRefused(mounted.path().resolve("meta"), "Read-only file system");
    }
  }

  @Test
  void shouldRefuseToWriteToAFullFileSystemAndGoOnWhenThereIsRoom() throws Exception {
    try (SmallFileSystem mounted = SmallFileSystem.mount(Files.createDirectory(temporary.resolve("full")), 32)) {
      try (MetadataStore store = RocksStore.open(mounted.path().resolve("meta"), SMALL)) {
        store.commit(batch("a", "1"), true);
        assertFalse(store.isFull());
        mounted.fill();
        assertTrue(store.isFull());
        String refusal = assertThrows(StoreException.class, () -> store.commit(batch("a", "2"), true)).getMessage();
        assertTrue(refusal.contains("only 0 bytes are free"), refusal);
        assertArrayEquals(bytes("1"), store.get(bytes("a")));
        mounted.empty();
        store.commit(batch("a", "3"), true);
      }
      try (MetadataStore store = RocksStore.open(mounted.path().resolve("meta"), SMALL)) {
        assertArrayEquals(bytes("3"), store.get(bytes("a")));
      }
    }
  }

  /** The reserve makes that rare; but others may fill the disk between the look and the write. */
  @Test
  void shouldCloseWhenADiskIsFullInTheMiddleOfAWriteAndHaveAllAcknowledgedBatchesThen() throws Exception {
    try (SmallFileSystem mounted = SmallFileSystem.mount(Files.createDirectory(temporary.resolve("full")), 16)) {
      Path directory = mounted.path().resolve("meta");
      int acknowledged = 0;
      try (MetadataStore store = RocksStore.open(directory, SMALL)) {
        Batch large = new Batch();
        large.put(bytes("large"), new byte[64 << 20]);
        store.commit(batch("n", "1"), true);
        acknowledged++;
        String failure = assertThrows(StoreException.class, () -> store.commit(large, true)).getMessage();
        assertTrue(failure.contains("could not write a batch") && failure.contains(directory.toString()), failure);
        assertFalse(store.isOpen());
        assertTrue(assertThrows(StoreException.class, () -> store.get(bytes("n"))).getMessage().contains("closed by a failed write"));
      }
      try (MetadataStore store = RocksStore.open(directory, SMALL)) {
        assertArrayEquals(bytes("" + acknowledged), store.get(bytes("n")));
        assertEquals(null, store.get(bytes("large")));
        store.commit(batch("n", "2"), true);
      }
    }
  }
}

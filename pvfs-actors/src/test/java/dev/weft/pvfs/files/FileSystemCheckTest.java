package dev.weft.pvfs.files;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.check.FileSystemCheck;
import dev.weft.pvfs.check.Problem;
import dev.weft.pvfs.check.Report;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.RocksSettings;
import dev.weft.pvfs.store.RocksStore;
import dev.weft.pvfs.wire.Caller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file system that runs, with what is wrong planted at its daemons and in its metadata, is checked and mended. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class FileSystemCheckTest {
  private static final int DAEMONS = 3;
  @TempDir private Path directory;
  private FileSystemCluster cluster;
  private PvfsFileSystem files;
  private DataClient daemons;
  private long whole;
  private long small;

  @BeforeEach
  void fill() throws Exception {
    cluster = new FileSystemCluster(DAEMONS, "weft.pvfs.manager { grace = 100 ms, store.reserve = 1 MiB }\nweft.pvfs.client.reconnect = 50 ms",
        directory.resolve("manager"));
    files = cluster.connect(Caller.ROOT);
    daemons = cluster.daemons();
    files.mkdir("/d", 0755);
    whole = write("/d/whole", StripingWish.NONE, 300_000);
    small = write("/small", new StripingWish(1, 1, 4096), 10_000);
    write("/gone", StripingWish.NONE, 5000);
    files.unlink("/gone");
    files.open("/empty", CREATE_NEW, WRITE).close();
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private long write(String path, StripingWish wish, int bytes) throws PvfsException {
    try (PvfsFile file = files.open(path, wish, 0644, CREATE_NEW, WRITE)) {
      file.write(memory(bytes), 0);
      return file.inode();
    }
  }

  private static MemorySegment memory(int bytes) {
    return Arena.ofAuto().allocate(bytes).fill((byte) 7);
  }

  private static Striping only(int daemon) {
    return new Striping(daemon, 1, 65_536, DAEMONS);
  }

  private Report check(boolean repairs) {
    try (FileSystemCheck check = cluster.check(files)) {
      return check.run(new FileSystemCheck.Wish(repairs, false, true));
    }
  }

  private void assertFound(List<String> kinds, Report report, boolean isMended) {
    assertEquals(kinds, report.problems().stream().map(Problem::kind).sorted().toList(), report.toString());
    assertTrue(report.problems().stream().allMatch(problem -> problem.isMended() == isMended), report.toString());
  }

  @Test
  void shouldDoNothingOnceItWasEnded() {
    try (FileSystemCheck check = cluster.check(files)) {
      check.end();
      assertThrows(CancellationException.class, () -> check.run(new FileSystemCheck.Wish(true, true, true)));
    }
    assertTrue(check(false).isClean());
  }

  @Test
  void shouldFindNothingInAFileSystemThatIsInUse() throws Exception {
    try (PvfsFile open = files.open("/open", CREATE_NEW, WRITE)) {
      open.write(memory(100), 0);
      Report report = check(true);
      assertFound(List.of(), report, false);
      assertEquals(4, report.files());
    }
    assertTrue(check(false).isClean());
  }

  @Test
  void shouldFindAndMendWhatDaemonsHaveThatTheyMustNotHaveAndLengthsThatDoNotAgree() throws Exception {
    assertEquals(Errno.OK, daemons.write(1_000_000, only(2), 0, memory(100)).errno());
    assertEquals(Errno.OK, daemons.write(small, only(0), 0, memory(100)).errno());
    assertEquals(Errno.OK, daemons.write(whole, files.attributes("/d/whole").striping(), 400_000, memory(1)).errno());
    List<String> kinds = List.of(Problem.ORPHAN_OBJECT, Problem.STRAY_OBJECT, Problem.WRONG_LENGTH);
    assertFound(kinds, check(false), false);
    assertFound(kinds, check(true), true);
    assertTrue(check(true).isClean());
    assertEquals(400_001, files.attributes("/d/whole").bytes());
    assertEquals(10_000, files.size("/small"));
  }

  @Test
  void shouldMendMetadataWhileClientsGoOnAndRemoveNoDataWhereTheyWereNotSound() throws Exception {
    cluster.stopManager();
    try (MetadataStore store = RocksStore.open(directory.resolve("manager"), RocksSettings.DEFAULT)) {
      Batch batch = new Batch();
      for (MetadataStore.Entry entry : store.scan("D".getBytes(StandardCharsets.US_ASCII), new byte[0], 100)) {
        if (new String(entry.key(), StandardCharsets.ISO_8859_1).endsWith("whole")) {
          batch.delete(entry.key());
        }
      }
      assertEquals(1, batch.size());
      store.commit(batch, true);
    }
    cluster.startManagerAgain();
    assertEquals(Errno.OK, daemons.write(1_000_000, only(2), 0, memory(100)).errno());
    Set<String> found = check(true).problems().stream().map(problem -> problem.kind() + " " + problem.isMended()).collect(Collectors.toSet());
    assertEquals(Set.of("LOST true", "ORPHAN_OBJECT false", "WRONG_LIST true", "WRONG_LINKS true"), found);
    assertEquals(300_000, files.size("/lost+found/#" + whole));
    files.mkdir("/new", 0755);
    assertFound(List.of(Problem.ORPHAN_OBJECT), check(true), true);
    assertTrue(check(false).isClean());
  }

  /** It reads as no zeros, and no repair makes the file as short as what is left. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSayThatDataIsLostWhichSomebodyHasRemovedOrCut(boolean isCut) throws Exception {
    cluster.close();
    Path all = directory.resolve("stored");
    FileSystemLabel label = FileSystemLabel.random(DAEMONS);
    cluster = new FileSystemCluster(DAEMONS, "", all, label);
    files = cluster.connect(Caller.ROOT);
    try (PvfsFile file = files.open("/a", new StripingWish(0, 3, 65_536), 0644, CREATE_NEW, WRITE)) {
      file.write(memory(300_000), 0);
      file.sync();
      whole = file.inode();
    }
    cluster.close();
    Path last = all.resolve("io-1/objects/%02x/%016x".formatted(whole & 0xff, whole));
    if (isCut) {
      Files.write(last, new byte[0]);
    } else {
      Files.delete(last);
    }
    cluster = new FileSystemCluster(DAEMONS, "", all, label);
    files = cluster.connect(Caller.ROOT);
    try (PvfsFile file = files.open("/a", READ)) {
      MemorySegment back = memory(300_000);
      assertEquals(65_536, file.read(back.asSlice(0, 65_536), 0));
      assertEquals(Errno.EIO, assertThrows(PvfsException.class, () -> file.read(back, 0)).errno());
      assertEquals(Errno.EIO, assertThrows(PvfsException.class, file::size).errno());
    }
    Report report = check(true);
    assertFound(List.of(Problem.NOT_CHECKED, Problem.NOT_CHECKED), report, false);
    assertTrue(report.problems().getFirst().text().contains("file " + whole), report.toString());
    assertEquals(300_000, files.attributes("/a").bytes());
    try (PvfsFile file = files.open("/a", WRITE, TRUNCATE_EXISTING)) {
      file.write(memory(300_000), 0);
    }
    assertTrue(check(true).isClean());
  }

  /** The second repair sees nothing any more of what the first one has found. */
  @Test
  void shouldKeepTheDataOfAFileWhoseRecordWasLostUntilTheyAreToBeDiscarded() throws Exception {
    cluster.stopManager();
    try (MetadataStore store = RocksStore.open(directory.resolve("manager"), RocksSettings.DEFAULT)) {
      Batch batch = new Batch();
      for (MetadataStore.Entry entry : store.scan("I".getBytes(StandardCharsets.US_ASCII), new byte[0], 100)) {
        long inode = ByteBuffer.wrap(entry.key()).getLong(1);
        if (inode == whole) {
          batch.put(entry.key(), Arrays.copyOf(entry.value(), 3)); // Cannot be read.
        } else if (inode == small) {
          batch.delete(entry.key());
        }
      }
      assertEquals(2, batch.size());
      store.commit(batch, true);
    }
    cluster.startManagerAgain();
    assertEquals(Errno.OK, daemons.write(1_000_000, only(2), 0, memory(100)).errno());
    assertTrue(check(true).problems().stream().filter(problem -> problem.kind().equals(Problem.ORPHAN_OBJECT)).noneMatch(Problem::isMended));
    Report second = check(true);
    assertEquals(Set.of(Problem.ORPHAN_OBJECT), second.problems().stream().map(Problem::kind).collect(Collectors.toSet()));
    assertEquals(1, second.problems().stream().filter(Problem::isMended).count(), "what never was a file's");
    List<Problem> kept = second.problems().stream().filter(problem -> !problem.isMended()).toList();
    assertEquals(DAEMONS + 1, kept.size());
    assertTrue(kept.stream().allMatch(problem -> problem.text().contains("--discard-doubtful")), kept.toString());
    assertFound(kept.stream().map(Problem::kind).toList(), check(true), false);
    try (FileSystemCheck check = cluster.check(files)) {
      assertFound(kept.stream().map(Problem::kind).toList(), check.run(new FileSystemCheck.Wish(true, true, false)), true);
    }
    assertTrue(check(true).isClean());
  }
}

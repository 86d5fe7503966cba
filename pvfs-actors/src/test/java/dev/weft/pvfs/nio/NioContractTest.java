package dev.weft.pvfs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.Caller;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** The same cases on the JDK's own file system, on tmpfs where there is one, and on this one: what they see must be the same, but for what is listed here. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NioContractTest {
  /** Where this file system is different, and why. */
  private static final Set<String> DIFFERENCES = Set.of(
      // A channel of a directory is refused when it is opened, not when it is read.
      "text and streams / into a directory",
      // The JDK gives its temporary files to their owner alone in its own file system only.
      "temporary files / permissions",
      // The JDK does not look whether there is a directory before it says so.
      "directories that are no files / 'no/.' [CREATE_NEW]",
      // The failure has the file's name here.
      "symbolic links / not followed",
      // Types of files by their names come from the host's tables, which belong to its own file system.
      "kinds and sizes / probed");

  private final FileSystemCluster cluster = new FileSystemCluster(3, "");
  private FileSystem pvfs;
  private Path ours;
  private Path theirs;

  @BeforeAll
  void open() throws Exception {
    int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    int gid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:gid");
    PvfsFileSystem root = cluster.connect(Caller.ROOT);
    root.mkdir("/contract", 0755);
    root.setStriping("/contract", new StripingWish(StripingWish.ANY, 3, 4096));
    root.metadata().setOwner(root.attributes("/contract").inode(), uid, gid);
    pvfs = FileSystems.newFileSystem(URI.create("pvfs://contract/"), Map.of("files", cluster.connect(new Caller(uid, gid, List.of()))));
    ours = pvfs.getPath("/contract");
    Path memory = Path.of("/dev/shm");
    theirs = Files.isWritable(memory) ? Files.createTempDirectory(memory, "weft-nio") : Files.createTempDirectory("weft-nio");
  }

  @AfterAll
  void close() throws Exception {
    pvfs.close();
    cluster.close();
    remove(theirs);
  }

  private static void remove(Path directory) throws Exception {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> shouldDoAsTheFileSystemOfTheJdkDoes() {
    NioCase.Book book = new NioCase.Book();
    NameCases.addTo(book);
    ChannelCases.addTo(book);
    return book.cases.entrySet().stream().map(each -> DynamicTest.dynamicTest(each.getKey(), () -> compare(each.getKey(), each.getValue())));
  }

  private void compare(String name, NioCase.Body body) throws Exception {
    String directory = name.replace(' ', '-');
    List<String> expected = NioCase.run(body, Files.createDirectory(theirs.resolve(directory)));
    List<String> actual = NioCase.run(body, Files.createDirectory(ours.resolve(directory)));
    assertEquals(expected.size(), actual.size());
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < expected.size(); i++) {
      String what = name + " / " + expected.get(i).split(": ")[0];
      if (!expected.get(i).replace(theirs.toString(), "").equals(actual.get(i).replace(ours.toString(), "")) && !DIFFERENCES.contains(what)) {
        differences.add(what + "\n  JDK:  " + expected.get(i) + "\n  pvfs: " + actual.get(i));
      }
    }
    assertTrue(differences.isEmpty(), () -> String.join("\n", differences));
    remove(ours.resolve(directory));
  }
}

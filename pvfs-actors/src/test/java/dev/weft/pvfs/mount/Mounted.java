package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.Waits;
import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.fuse.CacheMode;
import dev.weft.pvfs.fuse.FuseMount;
import dev.weft.pvfs.fuse.FuseOptions;
import dev.weft.pvfs.wire.Caller;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A whole file system in this JVM, mounted at some directories by as many clients. Nothing in this JVM touches these directories while they are mounted. */
final class Mounted implements AutoCloseable {
  private static final int BUSY = 3;
  /** As on a machine with two processors: a thread often is the last one that reads requests, and operations go on without one. */
  static final int THREADS = 2;

  private record Mount(Path directory, PvfsFileSystem files, MountedFiles mounted, FuseMount mount) {}

  private final FileSystemCluster cluster;
  private final List<Mount> mounts = new ArrayList<>();
  private final Path outputs = Files.createTempDirectory("weft-said");

  Mounted(int daemons, String settings, CacheMode... caches) throws IOException {
    this(new FileSystemCluster(daemons, settings), caches);
  }

  /** Of a cluster, which it owns. */
  Mounted(FileSystemCluster cluster, CacheMode... caches) throws IOException {
    this.cluster = cluster;
    try {
      for (CacheMode cache : caches) {
        add(cache);
      }
    } catch (IOException | RuntimeException refused) {
      close();
      throw refused;
    }
  }

  private void add(CacheMode cache) throws IOException {
    Path directory = Files.createTempDirectory("weft-pvfs");
    PvfsFileSystem files = cluster.connect(Caller.ROOT);
    MountedFiles mounted = new MountedFiles(files, MountSettings.from(cluster.fabric.config(), cache));
    mounts.add(new Mount(directory, files, mounted,
        FuseMount.mount(mounted, directory, FuseOptions.named("weft-test").cache(cache).threads(THREADS).allowOther(true))));
  }

  /** Skips the test where root cannot mount. */
  static void assumePossible() {
    Needs.kernel(Files.exists(Path.of("/dev/fuse")), "FUSE: /dev/fuse is missing");
    Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "the owners of files are changed, which only root may");
  }

  FileSystemCluster cluster() {
    return cluster;
  }

  PvfsFileSystem files() {
    return mounts.getFirst().files();
  }

  String path(int mount) {
    return mounts.get(mount).directory().toString();
  }

  /** A program among the resources of this package. */
  Path program(String name) throws IOException {
    Path file = outputs.resolve(name);
    if (!Files.exists(file)) {
      try (InputStream in = Mounted.class.getResourceAsStream(name)) {
        Files.copy(in, file);
      }
    }
    return file;
  }

  /**
   * A program, with A and B in its place for the mounts; what it has printed. It has to end well within {@code seconds}, or {@link #BUSY} times that on a
   * machine that has more to do.
   */
  String run(int seconds, String script) throws Exception {
    Path said = Files.createTempFile(outputs, "said", ".txt");
    ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-c", script).redirectErrorStream(true).redirectOutput(said.toFile())
        .redirectInput(Path.of("/dev/null").toFile());
    builder.environment().put("A", path(0));
    builder.environment().put("B", path(mounts.size() - 1));
    Process process = builder.start();
    try {
      if (!process.waitFor(BUSY * seconds, TimeUnit.SECONDS)) {
        fail(script + " has not ended within " + BUSY * seconds + " s: " + text(said));
      }
      assertEquals(0, process.exitValue(), () -> script + ": " + text(said));
      return text(said);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static String text(Path said) {
    try {
      return Files.readString(said, StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return gone.toString();
    }
  }

  /** That nothing is left of what programs asked: after they have ended. */
  void assertQuiet() {
    for (Mount each : mounts) {
      Waits.until("no requests and no open files", () -> each.mount().outstanding() == 0 && each.mounted().openCount() == 0,
          () -> each.mount().outstanding() + " requests, " + each.mounted().openCount() + " open files");
      assertEquals(0, each.mount().failures(), "failures");
      assertEquals(0, each.files().appends().heldCount(), "append locks");
    }
  }

  @Override
  public void close() throws IOException {
    for (Mount each : mounts) {
      each.mount().close();
      each.files().close();
      Files.deleteIfExists(each.directory());
    }
    cluster.close();
    try (var files = Files.list(outputs)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(outputs);
    assertTrue(mounts.stream().noneMatch(each -> Files.exists(each.directory())));
  }
}

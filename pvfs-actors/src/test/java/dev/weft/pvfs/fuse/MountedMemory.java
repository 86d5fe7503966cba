package dev.weft.pvfs.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import dev.weft.pvfs.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A file system that this JVM serves at a temporary directory. Nothing in this JVM touches the directory while it is mounted; in the end it is unmounted in
 * any case, by umount(8) if nothing else helps.
 */
final class MountedMemory implements AutoCloseable {
  private final Path directory = Files.createTempDirectory("weft-fuse");
  private final FuseMount mount;

  private MountedMemory(FuseFileSystem files, FuseOptions options) throws IOException {
    try {
      mount = FuseMount.mount(files, directory, options);
    } catch (IOException refused) {
      Files.deleteIfExists(directory);
      throw refused;
    }
  }

  /** Skips the test where no FUSE can be mounted by root; what the reason is. */
  static void assumePossible() throws IOException {
    Needs.kernel(Files.exists(Path.of(Mounts.DEVICE)), "FUSE: " + Mounts.DEVICE + " is missing");
    Assumptions.assumeTrue(LinuxCalls.problem() == null, LinuxCalls.problem());
    Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "the owners of files are changed, which only root may");
    try (MountedMemory probe = new MountedMemory(new MemoryFileSystem(1 << 20), options())) {
      assertTrue(probe.mount.minorVersion() >= Protocol.MINOR_MIN);
    } catch (IOException forbidden) {
      Assumptions.abort("FUSE cannot be mounted here: " + forbidden.getMessage());
    }
  }

  static FuseOptions options() {
    return FuseOptions.named("weft-test").allowOther(true);
  }

  static MountedMemory of(FuseFileSystem files, FuseOptions options) throws IOException {
    return new MountedMemory(files, options);
  }

  FuseMount mount() {
    return mount;
  }

  /** A path for a program; not to be used here. */
  String path(String... names) {
    return directory + (names.length == 0 ? "" : "/" + String.join("/", names));
  }

  /** That nothing is left of what was asked: after the programs have ended. */
  void assertQuiet() {
    Waits.await(() -> mount.outstanding() == 0, () -> "requests are outstanding");
    assertEquals(0, mount.waitingLocks(), "locks that are waited for");
    assertEquals(0, mount.failures(), "failures");
  }

  /** Closes it, in the middle of a test. */
  void end() {
    mount.close();
  }

  @Override
  public void close() throws IOException {
    try {
      mount.close();
    } finally {
      if (MountTable.at(directory) != null) {
        detach();
      }
      Files.deleteIfExists(directory);
    }
  }

  private void detach() throws IOException {
    try {
      new ProcessBuilder("umount", "-l", directory.toString()).start().waitFor(90, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

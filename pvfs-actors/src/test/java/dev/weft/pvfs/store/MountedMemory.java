package dev.weft.pvfs.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small tmpfs for a store. Needs root, which CI has to be. */
final class MountedMemory implements AutoCloseable {
  private final Path path;

  private MountedMemory(Path path) {
    this.path = path;
  }

  static MountedMemory mount(Path at, int mebibytes) throws IOException {
    boolean mounted = run("mount", "-t", "tmpfs", "-o", "mode=700,size=" + mebibytes + "m", "tmpfs", at.toString()) == 0;
    assertTrue(mounted || !"true".equals(System.getenv("CI")), "CI has to be allowed to mount a tmpfs");
    assumeTrue(mounted, "only root can mount a tmpfs");
    return new MountedMemory(at);
  }

  private static int run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.onExit().join().exitValue();
  }

  Path path() {
    return path;
  }

  void makeReadOnly() throws IOException {
    assertEquals(0, run("mount", "-o", "remount,ro", path.toString()));
  }

  /** As somebody else does it: not a byte is free then. */
  void fill() throws IOException {
    byte[] some = new byte[1 << 12];
    try (OutputStream file = Files.newOutputStream(path.resolve("fill"))) {
      while (true) {
        file.write(some);
      }
    } catch (IOException full) {
      assertEquals(0, Files.getFileStore(path).getUsableSpace());
    }
  }

  void empty() throws IOException {
    Files.delete(path.resolve("fill"));
  }

  @Override
  public void close() throws IOException {
    assertEquals(0, run("umount", "-l", path.toString()));
  }
}

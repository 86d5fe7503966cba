package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A tmpfs of some size, as containers have it at {@code /dev/shm}. Needs root, which CI has to be. */
public final class SmallFileSystem implements AutoCloseable {
  private final Path path;

  private SmallFileSystem(Path path) {
    this.path = path;
  }

  /** Mounts one; ends a test that cannot do so here. With {@code CI=true} it fails then. */
  public static SmallFileSystem mount(Path at, int mebibytes) throws IOException {
    Files.createDirectories(at);
    boolean mounted = run("mount", "-t", "tmpfs", "-o", "mode=700,size=" + mebibytes + "m", "tmpfs", at.toString()) == 0;
    assertTrue(mounted || !"true".equals(System.getenv("CI")), "CI has to be allowed to mount a tmpfs");
    assumeTrue(mounted, "only root can mount a tmpfs");
    return new SmallFileSystem(at);
  }

  private static int run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.onExit().join().exitValue();
  }

  public Path path() {
    return path;
  }

  /** As somebody else does it: not a byte is free then. */
  public void fill() throws IOException {
    byte[] some = new byte[1 << 16];
    try (OutputStream file = Files.newOutputStream(path.resolve("fill"))) {
      while (true) {
        file.write(some);
      }
    } catch (IOException full) {
      assertEquals(0, Files.getFileStore(path).getUsableSpace());
    }
  }

  /** After {@link #fill}. */
  public void empty() throws IOException {
    Files.delete(path.resolve("fill"));
  }

  public void makeReadOnly() throws IOException {
    assertEquals(0, run("mount", "-o", "remount,ro", path.toString()));
  }

  @Override
  public void close() throws IOException {
    assertEquals(0, run("umount", "-l", path.toString()));
  }
}

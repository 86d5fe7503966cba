package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.Waits;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code weft pvfs mount} in a process of its own; {@link #close} unmounts even if the process has ended. */
final class MountProcess implements AutoCloseable {
  private static final int END_S = 20;

  private final WeftProcess weft;
  private final Path directory;
  private final Process process;

  private MountProcess(WeftProcess weft, Path directory, Process process) {
    this.weft = weft;
    this.directory = directory;
    this.process = process;
  }

  /** Skips the test, or fails on CI, if this user cannot mount. */
  static void need() throws IOException, InterruptedException {
    boolean mayMount = Files.exists(Path.of("/dev/fuse"))
        && new ProcessBuilder("sh", "-c", "exec 3<>/dev/fuse && test $(id -u) = 0").start().waitFor() == 0;
    Needs.that(mayMount, "a mount needs /dev/fuse and root");
  }

  /** Mounts at a new directory, and returns when programs see the mount. */
  static MountProcess start(WeftProcess weft, Path directory, String... options) throws IOException {
    Files.createDirectory(directory);
    List<String> words = new ArrayList<>(List.of("pvfs", "mount", directory.toString()));
    words.addAll(List.of(options));
    MountProcess mount = new MountProcess(weft, directory, weft.start(words.toArray(String[]::new)));
    Waits.until("the mount at " + directory, () -> {
      assertTrue(mount.process.isAlive(), () -> "the mount's process has ended: " + weft.logsOrReason());
      return Files.readString(Path.of("/proc/self/mounts")).contains(" " + directory.toRealPath() + " ");
    }, weft::logs);
    return mount;
  }

  Path directory() {
    return directory;
  }

  /** Unmounts as a user does; the process then ends without an error. */
  void unmount() throws IOException, InterruptedException {
    WeftProcess.Answer answer = weft.run("pvfs", "umount", directory.toString());
    assertEquals(ExitCode.OK, answer.exitCode(), answer.err());
    Waits.until("the mount's process to end", () -> !process.isAlive(), weft::logs);
    assertEquals(ExitCode.OK, process.exitValue());
  }

  @Override
  public void close() throws IOException {
    try {
      process.destroy();
      if (!process.waitFor(END_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      new ProcessBuilder("umount", "-l", directory.toString()).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

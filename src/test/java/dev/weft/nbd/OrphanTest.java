package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What becomes of the processes that {@code weft up} has started when it is killed and can end none of them. */
@Tag("jvms")
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class OrphanTest {
  private static final int STARTS_MAX = 10;

  private WeftProcess weft;
  @TempDir private Path directory;

  @BeforeEach
  void start() throws Exception {
    weft = new WeftProcess(List.of(), "-Dweft.fabric.cluster.media-driver.exit-when-unused-after=2s");
  }

  @AfterEach
  void stop() throws Exception {
    weft.close();
  }

  /** Kills it when that many processes of its run, and a condition holds; again and again where it was too late for one that is early. */
  private void killed(int jvms, boolean isEarly, Callable<Boolean> when) throws Exception {
    boolean wasUp = true;
    for (int start = 0; start < STARTS_MAX && wasUp; start++) {
      wasUp = killed(jvms, when) && isEarly;
    }
    assertFalse(wasUp, STARTS_MAX + " fabrics were up before they could be killed");
  }

  /** The media driver and the other JVMs are its processes. Returns whether it was up already. */
  private boolean killed(int jvms, Callable<Boolean> when) throws Exception {
    Process up = weft.start("up", "--jvms=" + jvms, "--servers=" + Math.max(1, jvms - 1), "--memory=8M", "--nbd=unix:" + directory.resolve("weft.sock"),
        "--http=127.0.0.1:0");
    List<ProcessHandle> others = List.of();
    try {
      Waits.until(jvms + " processes of 'up'", () -> {
        assertTrue(up.isAlive(), weft.logs());
        return up.descendants().count() == jvms && when.call();
      }, () -> up.descendants().map(ProcessHandle::info).toList() + weft.logs());
      boolean wasUp = !weft.pids("UP").isEmpty();
      others = up.descendants().toList(); // One that the JVM starts another with may be among them.
      up.destroyForcibly().waitFor();
      List<ProcessHandle> left = others;
      Waits.until("the processes of a killed 'up' to end", () -> left.stream().noneMatch(ProcessHandle::isAlive), weft::logs);
      Waits.until("the media driver's directory to go", () -> Files.notExists(weft.driverDirectory()), weft::logs);
      return wasUp;
    } finally {
      up.destroyForcibly();
      others.forEach(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void shouldEndWithItsParentBeforeItHasDoneAnything() throws Exception {
    killed(3, true, () -> true);
  }

  @Test
  void shouldEndWithItsParentWhenItHasJoined() throws Exception {
    killed(3, false, () -> !weft.pids("MEMBER").isEmpty());
  }

  @Test
  void shouldEndTheMediaDriverThatNobodyHasUsed() throws Exception {
    killed(1, true, () -> true);
  }
}

package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What becomes of the processes that {@code weft up} has started when it is killed and can end none of them. */
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class OrphanTest {
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

  private void await(String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
    while (!condition.call()) {
      assertTrue(System.nanoTime() < end, "waited 100 s for " + what + ": " + weft.logs());
      Thread.sleep(20);
    }
  }

  /** Kills it when that many processes of its have started, and a condition holds. */
  private void killed(int processes, boolean isEarly, Callable<Boolean> when) throws Exception {
    Process up = weft.start("up", "--jvms=3", "--servers=2", "--memory=8M", "--nbd=unix:" + directory.resolve("weft.sock"),
        "--http=127.0.0.1:0");
    List<ProcessHandle> others = List.of();
    try {
      await(processes + " processes of 'up'", () -> !up.isAlive() || up.descendants().count() == processes && when.call());
      assertTrue(!isEarly || weft.pids("UP").isEmpty(), "it is not up yet");
      others = up.descendants().toList();
      assertEquals(processes, others.size(), weft.logs());
      up.destroyForcibly().waitFor();
      List<ProcessHandle> left = others;
      await("the processes of a killed 'up' to end", () -> left.stream().noneMatch(ProcessHandle::isAlive));
      assertTrue(Files.notExists(weft.driverDirectory()), "the media driver leaves no directory");
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

package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("jvms")
@Timeout(180)
class ProcessWatchTest {
  private static Process sleeper() throws Exception {
    return new ProcessBuilder("sleep", "100").start();
  }

  @Test
  void shouldTellOfAProcessThatIsKilledAndOfNoneThatIsPaused() throws Exception {
    Process paused = sleeper();
    Process killed = sleeper();
    CountDownLatch onPause = new CountDownLatch(1);
    CountDownLatch onKill = new CountDownLatch(1);
    try (ProcessWatch _ = ProcessWatch.start(paused.pid(), onPause::countDown); ProcessWatch _ = ProcessWatch.start(killed.pid(), onKill::countDown)) {
      assertEquals(0, new ProcessBuilder("kill", "-STOP", Long.toString(paused.pid())).start().waitFor());
      killed.destroyForcibly();
      assertTrue(onKill.await(90, TimeUnit.SECONDS));
      assertEquals(1, onPause.getCount());
      assertTrue(ProcessWatch.isAlive(paused.pid()));
      killed.waitFor();
      assertTrue(ProcessWatch.isGone(killed.pid()));
    } finally {
      paused.destroyForcibly();
      killed.destroyForcibly();
    }
  }

  @Test
  void shouldTellOfOneThatHasEndedBefore() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    CountDownLatch told = new CountDownLatch(1);
    ProcessWatch.start(ended.pid(), told::countDown);
    assertTrue(told.await(90, TimeUnit.SECONDS));
  }

  /** Its parent, which the shell becomes, never asks for it. */
  @Test
  void shouldHoldAProcessThatNobodyWaitsForToBeDead() throws Exception {
    Process parent = new ProcessBuilder("sh", "-c", "sleep 100 & echo $!; exec sleep 100").start();
    try (BufferedReader out = parent.inputReader()) {
      long child = Long.parseLong(out.readLine());
      assertTrue(ProcessWatch.isAlive(child));
      assertFalse(ProcessWatch.awaitEnd(child, 20));
      CountDownLatch told = new CountDownLatch(1);
      ProcessWatch.start(child, told::countDown);
      ProcessHandle.of(child).orElseThrow().destroyForcibly();
      assertTrue(told.await(90, TimeUnit.SECONDS));
      assertTrue(ProcessHandle.of(child).isPresent(), "for the kernel it is still there");
      assertFalse(ProcessWatch.isAlive(child));
      assertTrue(ProcessWatch.awaitEnd(child, 20_000));
      assertTrue(ProcessWatch.isGone(child));
    } finally {
      parent.destroyForcibly();
    }
  }
}

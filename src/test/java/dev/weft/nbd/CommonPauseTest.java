package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * All processes of a fabric stand still, as where a virtual machine is paused, and go on: nothing is lost. A fabric of one JVM and one of several stand
 * still at the same time, since that costs no processor.
 */
@Tag("jvms")
class CommonPauseTest {
  /** Longer than the longest pause. */
  private static final int REQUEST_S = 700;

  @TempDir Path directory;

  /** A fabric with what it has to keep. */
  private final class Kept implements AutoCloseable {
    final WeftProcess weft = new WeftProcess();
    final int jvms;
    final Process up;
    final byte[] file = new byte[300_001];
    final Load load;

    Kept(int jvms) throws Exception {
      this.jvms = jvms;
      String[] words = {"up", "--jvms=" + jvms, "--servers=" + Math.max(1, jvms - 1), "--memory=8M", "--nbd=127.0.0.1:0",
          "--http=127.0.0.1:0", "--dsm=kept", "--dsm-memory=1M", "--pvfs=2", "--pvfs-memory=16M"};
      up = weft.start(words);
      Waits.until("a fabric of " + jvms, this::isReady, weft::logs);
      new Random(jvms).nextBytes(file);
      Files.write(directory.resolve("in"), file);
      WeftProcess.Answer copied = weft.run("pvfs", "cp", directory.resolve("in").toString(), "pvfs:/kept");
      assertEquals(0, copied.exitCode(), copied::err);
      load = Load.start(weft.nbd(), 0, 1 << 20, REQUEST_S);
      Waits.until("load", () -> load.count() > 10);
    }

    private boolean isReady() {
      assertTrue(up.isAlive(), weft::logsOrReason);
      return weft.logsOrReason().contains("Ready. ");
    }

    List<Long> processes() throws IOException {
      List<Long> all = new ArrayList<>(weft.pids("UP"));
      all.addAll(weft.pids("MEMBER"));
      all.add(MediaDriverOf.pid(weft));
      assertEquals(jvms + 1, all.size(), all::toString);
      return all;
    }

    void check() throws Exception {
      weft.awaitStatus("a healthy fabric of " + jvms, this::isHealthy);
      int before = load.count();
      Waits.until("requests after the pause", () -> load.count() > before + 10);
      assertEquals(0, load.errors(), weft::logsOrReason);
      load.stop();
      Path out = directory.resolve("out-" + jvms);
      WeftProcess.Answer copied = weft.run("pvfs", "cp", "pvfs:/kept", out.toString());
      assertEquals(0, copied.exitCode(), () -> copied.err() + weft.logsOrReason());
      assertArrayEquals(file, Files.readAllBytes(out));
    }

    private boolean isHealthy(WeftProcess.Answer status) {
      assertTrue(up.isAlive(), weft::logsOrReason);
      return status.exitCode() == 0 && status.out().startsWith("HEALTHY: " + jvms + " of " + jvms);
    }

    @Override
    public void close() throws IOException {
      load.close();
      weft.close();
      up.destroyForcibly();
    }
  }

  private static void signal(String name, List<Long> processes) throws Exception {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    processes.forEach(pid -> command.add(Long.toString(pid)));
    assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
  }

  private void standStill(int jvms, long seconds) throws Exception {
    try (Kept one = new Kept(1); Kept several = new Kept(jvms)) {
      List<Long> all = one.processes();
      all.addAll(several.processes());
      Collections.shuffle(all, new Random(seconds));
      signal("STOP", all);
      try {
        TimeUnit.SECONDS.sleep(seconds);
      } finally {
        signal("CONT", all);
      }
      one.check();
      several.check();
    }
  }

  @Test
  @Timeout(900)
  void shouldLoseNothingWhenAllProcessesStandStill() throws Exception {
    standStill(2, 25);
  }

  @Test
  @Tag("long")
  @Timeout(900)
  void shouldLoseNothingInAMinute() throws Exception {
    standStill(4, 60);
  }

  @Test
  @Tag("long")
  @Timeout(1800)
  void shouldLoseNothingInTenMinutes() throws Exception {
    standStill(4, 600);
  }
}

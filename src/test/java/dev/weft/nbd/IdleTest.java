package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.fabric.rules.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A fabric that has had traffic is at rest from one second after it: its processes sleep, and wake no more often than their timers and their
 * looks at shared memory want. Wakings are counted, over one window: what else runs on the machine makes them fewer, while it makes the
 * processor time of each two or three times as long, which is why that is printed and not judged. A thread that does not sleep at all is
 * not woken, so no thread may have run for long either.
 */
@Tag("jvms")
class IdleTest {
  /** A JVM is woken 1200 to 1300 times a second, 1000 to 1100 of them Artery's task runner, the thread of the hardware 25. */
  private static final int JVM_WAKINGS_MAX = 1700;
  /** The media driver 730 to 770 times: its conductor 300, its thread for sockets 400. */
  private static final int DRIVER_WAKINGS_MAX = 1100;
  /** Of the window. A thread at rest runs for 0.03 of it at most; one that spins has a fair share of a processor, however many want one. */
  private static final double SPINNING = 0.15;
  /** Until the compiler has done with the code that traffic uses. */
  private static final Duration WARM_UP = Duration.ofSeconds(15);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration WINDOW = Duration.ofSeconds(6);
  private static final int BYTES = 8 << 20;
  private static final int REQUESTS_MIN = 1000;
  /** A thread that does not sleep is seen in each; a compiler that is late on a busy machine in the first ones. */
  private static final int WINDOWS_MAX = 6;
  private static final int THREADS_SHOWN = 8;

  @Test
  @Timeout(400)
  void shouldWakeSeldomAndSpinNowhereFromASecondAfterTraffic() throws Exception {
    try (WeftProcess weft = new WeftProcess()) {
      WeftProcess.Answer up = weft.run("up", "--jvms=2", "--servers=1", "--memory=16M", "--nbd=127.0.0.1:0", "--http=127.0.0.1:0", "--detach");
      assertEquals(0, up.exitCode(), up.err() + up.out() + weft.logs());
      try (Load load = Load.start(weft.nbd(), 0, BYTES)) {
        Thread.sleep(WARM_UP);
        Waits.until(REQUESTS_MIN + " requests", () -> load.count() > REQUESTS_MIN, () -> load + weft.logs());
        load.stop();
        Thread.sleep(PAUSE); // The client stays connected.
        Map<String, ProcessHandle> processes = new LinkedHashMap<>();
        processes.put("first JVM", ProcessHandle.of(weft.pids("UP").getFirst()).orElseThrow());
        processes.put("second JVM", ProcessHandle.of(weft.pids("MEMBER").getFirst()).orElseThrow());
        processes.put("media driver", ProcessHandle.of(MediaDriverOf.pid(weft)).orElseThrow());
        List<String> wrong = check(processes);
        for (int window = 1; window < WINDOWS_MAX && !wrong.isEmpty(); window++) {
          wrong = check(processes);
        }
        assertEquals(List.of(), wrong, "in each of " + WINDOWS_MAX + " windows");
      }
    }
  }

  /** What is not at rest in one window. */
  private static List<String> check(Map<String, ProcessHandle> processes) throws Exception {
    Map<String, ThreadUse> before = new LinkedHashMap<>();
    long startNs = System.nanoTime();
    for (Map.Entry<String, ProcessHandle> process : processes.entrySet()) {
      before.put(process.getKey(), ThreadUse.of(process.getValue()));
    }
    Thread.sleep(WINDOW);
    double elapsedNs = System.nanoTime() - startNs;
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, ProcessHandle> process : processes.entrySet()) {
      String name = process.getKey();
      ThreadUse used = ThreadUse.of(process.getValue()).since(before.get(name));
      double wakings = used.wakings() / (elapsedNs / 1e9);
      String most = used.most(THREADS_SHOWN, elapsedNs);
      System.out.printf("idle: %s %.0f wakings/s, %.2f %% of a core: %s%n", name, wakings, 100 * used.totalNs() / elapsedNs, most);
      if (wakings > (name.equals("media driver") ? DRIVER_WAKINGS_MAX : JVM_WAKINGS_MAX)) {
        wrong.add(name + " wakes " + wakings + " times a second: " + most);
      }
      List<String> spinning = used.threads(use -> use.ns() > SPINNING * elapsedNs);
      if (!spinning.isEmpty()) {
        wrong.add(name + " does not sleep: " + spinning + ": " + most);
      }
    }
    return wrong;
  }
}

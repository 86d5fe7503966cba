package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.fabric.rules.Waits;
import java.io.IOException;

/** Signals to processes that tests have started. */
public final class Signals {
  private Signals() {}

  /** Sends the signal of that name, for example {@code INT}. */
  public static void send(String name, long pid) throws IOException, InterruptedException {
    assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor(), "kill -" + name + " " + pid);
  }

  /** Pauses a process and continues it after that time. A shell does both, so a JVM without a processor does not make the pause longer. */
  public static Process pause(long pid, int ms) throws IOException {
    return new ProcessBuilder("sh", "-c", "kill -STOP " + pid + "; sleep " + ms / 1000.0 + "; kill -CONT " + pid).inheritIO().start();
  }

  /** Waits until a pause is over. */
  public static void awaitEnd(Process pause) {
    Waits.until("the end of a pause", () -> !pause.isAlive());
    assertEquals(0, pause.exitValue(), "the process was there");
  }
}

package dev.weft.launcher.cluster;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets SIGTERM and Ctrl-C end a command in an orderly way: the JVM waits until the command has cleaned up. */
public final class EndOfProcess {
  private static final int PATIENCE_S = 40;
  private static final CountDownLatch DONE = new CountDownLatch(1);

  private EndOfProcess() {}

  /** When the JVM is asked to end: calls {@code end} and waits for {@link #done}. */
  public static void endOnSignal(Runnable end) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      end.run();
      try {
        DONE.await(PATIENCE_S, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }, "weft-shutdown"));
  }

  /** The command has cleaned up. */
  public static void done() {
    DONE.countDown();
  }
}

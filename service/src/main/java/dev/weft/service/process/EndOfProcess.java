package dev.weft.service.process;

import dev.weft.fabric.cluster.ProcessWatch;
import dev.weft.service.ExitCode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ends a command cleanly on SIGTERM and Ctrl-C: the JVM waits until the command has cleaned up. */
public final class EndOfProcess {
  private static final int PATIENCE_S = 40;
  /** Shorter than {@code PATIENCE_S}: the fabric has ended, so no other JVM waits for this one to leave, and its memory is useless. */
  private static final int ORPHAN_PATIENCE_S = 5;
  private static final CountDownLatch DONE = new CountDownLatch(1);

  private EndOfProcess() {}

  /** Registers {@code end}: when the JVM is asked to end, it calls {@code end} and waits up to 40 s for {@link #done}. */
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

  /**
   * Ends this JVM when the process that started it has ended, at any stage of its start. It first exits as on a signal. If that takes more than 5 s,
   * for example because it waits for a fabric that has ended, it halts. Call this before anything that may wait.
   *
   * @param parent process id
   */
  public static void endWith(long parent) {
    ProcessWatch.start(parent, EndOfProcess::endOrphan);
  }

  private static void endOrphan() {
    Thread.ofPlatform().daemon().name("weft-orphan-halt").start(() -> {
      try {
        TimeUnit.SECONDS.sleep(ORPHAN_PATIENCE_S);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      Runtime.getRuntime().halt(ExitCode.FAILURE);
    });
    // On a separate thread, because exit waits for the shutdown hooks, and these wait for the thread that called endWith.
    Thread.ofPlatform().daemon().name("weft-orphan-exit").start(() -> System.exit(ExitCode.FAILURE));
  }

  /** Reports that the command has cleaned up. */
  public static void done() {
    DONE.countDown();
  }
}

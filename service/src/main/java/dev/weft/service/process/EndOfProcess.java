package dev.weft.service.process;

import dev.weft.fabric.cluster.ProcessWatch;
import dev.weft.service.ExitCode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets SIGTERM and Ctrl-C end a command in an orderly way: the JVM waits until the command has cleaned up. */
public final class EndOfProcess {
  private static final int PATIENCE_S = 40;
  /** Less than the above: nobody waits for this JVM to leave the fabric, which has ended, and its memory is of no use any more. */
  private static final int ORPHAN_PATIENCE_S = 5;
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

  /**
   * Ends this JVM when the process that started it has ended, however far this one has come: as a signal would, and by force if that takes
   * too long, for instance because it waits for a fabric that is gone. To be called before anything that may wait.
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
    // On a thread of its own: it waits for the shutdown hooks, and they for the thread that called endWith.
    Thread.ofPlatform().daemon().name("weft-orphan-exit").start(() -> System.exit(ExitCode.FAILURE));
  }

  /** The command has cleaned up. */
  public static void done() {
    DONE.countDown();
  }
}

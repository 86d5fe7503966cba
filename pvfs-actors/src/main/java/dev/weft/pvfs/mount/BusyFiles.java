package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.fuse.FuseReply;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;

/**
 * Repeats a request that the manager refuses with EBUSY, because another mount has mapped the file or has it open. The kernel tells a mount of the
 * last close(2) a moment after the program has continued, so the file may soon be free. No thread that reads requests waits.
 */
final class BusyFiles {
  private static final int TRIES_MAX = 100;
  private static final long PAUSE_NS = 10_000_000L;

  private BusyFiles() {}

  /**
   * Answers a request: at once, or within a second on another thread if the file is busy.
   *
   * @param attempt answers the request and returns OK, or returns the error for the answer
   */
  static void answer(FuseReply reply, IntSupplier attempt) {
    answer(reply, attempt, errno -> errno);
  }

  /** As above; {@code refusal} maps the error of the last attempt to the one that the program gets. */
  static void answer(FuseReply reply, IntSupplier attempt, IntUnaryOperator refusal) {
    int errno = attempt.getAsInt();
    if (errno != Errno.EBUSY || !reply.runLater(() -> end(reply, again(attempt), refusal))) {
      end(reply, errno, refusal);
    }
  }

  private static int again(IntSupplier attempt) {
    int errno = Errno.EBUSY;
    for (int tries = 1; tries < TRIES_MAX && errno == Errno.EBUSY; tries++) {
      LockSupport.parkNanos(PAUSE_NS);
      errno = attempt.getAsInt();
    }
    return errno;
  }

  private static void end(FuseReply reply, int errno, IntUnaryOperator refusal) {
    if (errno != Errno.OK) {
      reply.fail(refusal.applyAsInt(errno));
    }
  }
}

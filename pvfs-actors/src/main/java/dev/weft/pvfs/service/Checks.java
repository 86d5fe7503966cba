package dev.weft.pvfs.service;

import dev.weft.service.Asker;
import dev.weft.service.CommandFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks of a file system that commands have requested: one at a time, and none longer than its command. Any thread. */
final class Checks {
  /** How long the check of an ended command may take to end; the next check waits for that. */
  private static final Duration ENDING = Duration.ofSeconds(10);
  private static final Logger LOG = LoggerFactory.getLogger(Checks.class);

  /** The exclusive right to check, until it is closed. */
  final class Turn implements AutoCloseable {
    private final Instant since = Instant.now();
    private final String process;
    /** Ends the check; null if there is none. */
    private Runnable end;
    private boolean isToEnd;

    private Turn(String process) {
      this.process = process;
    }

    /** Sets how to end the check. This runs when the command ends, or at once if it has ended. */
    void endBy(Runnable action) {
      synchronized (Checks.this) {
        end = action;
      }
      endIfToEnd();
    }

    private void commandHasGone() {
      synchronized (Checks.this) {
        isToEnd = true;
      }
      LOG.info("the check of the file system since {} ends, for process {}, which has asked for it, is gone", time(), process);
      endIfToEnd();
    }

    private void endIfToEnd() {
      Runnable action;
      synchronized (Checks.this) {
        action = isToEnd ? end : null;
      }
      if (action != null) {
        action.run();
      }
    }

    private Object time() {
      return since.atZone(ZoneId.systemDefault()).toLocalDateTime().truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public void close() {
      synchronized (Checks.this) {
        end = null;
        current = null;
        Checks.this.notifyAll();
      }
    }
  }

  private Turn current;

  /**
   * Begins a check.
   *
   * @param process number of the command's process, for people
   * @param asker the command
   * @throws CommandFailure if another check is under way
   */
  Turn begin(String process, Asker asker) {
    Turn turn = new Turn(process);
    synchronized (this) {
      awaitEnding();
      if (current != null) {
        throw new CommandFailure(refusal(current));
      }
      current = turn;
    }
    try {
      asker.whenGone(turn::commandHasGone);
    } catch (RuntimeException | Error e) {
      turn.close();
      throw e;
    }
    return turn;
  }

  private void awaitEnding() {
    long end = System.nanoTime() + ENDING.toNanos();
    try {
      for (long left = ENDING.toNanos(); current != null && current.isToEnd && left > 0; left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static String refusal(Turn other) {
    return "another check of the file system is under way since " + other.time() + " (" + Duration.between(other.since, Instant.now()).toSeconds()
        + " s), asked for by process " + other.process + (other.isToEnd ? ", which has ended: the check ends soon; repeat the command then"
        : "; wait for its end, or end it by 'kill " + other.process + "'");
  }
}

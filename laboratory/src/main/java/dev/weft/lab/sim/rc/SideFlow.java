package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.lab.kit.Checker;
import dev.weft.lab.kit.Draw;

/**
 * Traffic beside the reliable connections, on its own queue pairs and memory, with its own checks. The application of one node drives it by calling
 * {@link #step} again and again.
 */
abstract class SideFlow implements Checker {
  final RunJournal run;
  final Draw draw;
  private final int pauseMaxNs;

  SideFlow(RunJournal run, Draw draw) {
    this.run = run;
    this.draw = draw;
    pauseMaxNs = draw.pick(1_000, 10_000, 50_000);
  }

  /** The node of the application that drives it. */
  abstract SimNode home();

  /** Makes queue pairs and memory, after all nodes exist. */
  abstract void create(SimulationMemory memory);

  /** Posts, polls and checks. */
  abstract void step();

  /** Whether nothing is expected any more. */
  abstract boolean isDone();

  /** Number of posted atomics, each of which must be executed once. */
  long atomicsPosted() {
    return 0;
  }

  /** Whether it causes that event. */
  boolean causes(SimNode node, AsyncEvent event) {
    return false;
  }

  /** Nanoseconds until the next step. */
  final long pauseNs() {
    return draw.between(1, pauseMaxNs);
  }
}

package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.lab.kit.Checker;
import dev.weft.lab.kit.Draw;

/**
 * Traffic beside the reliable connections, on queue pairs and memory of its own, with checks of its own. Driven by the application of
 * one node, which calls {@link #step} again and again.
 */
abstract class SideFlow implements Checker {
  final SimRun run;
  final Draw draw;
  private final int pauseMaxNs;

  SideFlow(SimRun run, Draw draw) {
    this.run = run;
    this.draw = draw;
    pauseMaxNs = draw.pick(1_000, 10_000, 50_000);
  }

  /** The node whose application drives it. */
  abstract SimNode home();

  /** The nodes exist: makes queue pairs and memory. */
  abstract void create(SimulationMemory memory);

  /** Posts, polls and checks. */
  abstract void step();

  /** Nothing is expected any more. */
  abstract boolean isDone();

  /** Atomics that it has posted, each of which is to be executed once. */
  long atomicsPosted() {
    return 0;
  }

  /** Whether it is the cause of that event. */
  boolean causes(SimNode node, AsyncEvent event) {
    return false;
  }

  /** Nanoseconds until the next step. */
  final long pauseNs() {
    return draw.between(1, pauseMaxNs);
  }
}

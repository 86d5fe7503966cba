package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.Violations;

/** What the parts of a run report to it: facts for its trace, violations, and progress. */
interface RunJournal {
  Violations violations();

  /** Adds a fact to the trace. */
  void note(long fact);

  long nowNs();

  /** When the faults stopped, or -1 before that. */
  long faultsStoppedNs();

  /** Side traffic has posted another request. */
  void onOperation(WrOpcode kind);

  /** A planned request was posted. */
  void onPosted(long index);

  void onCompletionSeen();

  void onDrained();
}

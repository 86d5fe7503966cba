package dev.weft.lab.kit;

/** Reports what is wrong with the outcome of a run. It shares no code with what it checks: it sees packets on cables, completions, and snapshots. */
@FunctionalInterface
public interface Checker {
  /** Checks the final state, when nothing is outstanding. */
  void checkFinished(Violations violations);
}

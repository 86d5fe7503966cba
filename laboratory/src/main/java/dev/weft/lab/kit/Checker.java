package dev.weft.lab.kit;

/**
 * Says what is wrong with what came out of a run. It shares nothing with what it checks: it sees packets on cables, completions, and
 * snapshots.
 */
@FunctionalInterface
public interface Checker {
  /** Looks at what is left when nothing is outstanding. */
  void checkFinished(Violations violations);
}

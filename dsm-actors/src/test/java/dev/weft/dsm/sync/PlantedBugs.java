package dev.weft.dsm.sync;

/** Bugs to be planted in locks and barriers; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code set} in {@code handOn}: a node that gives a lock back keeps it, too. */
  static void keepLock(LockWord word, int state) {
    word.set(state == LockWord.AWAY ? LockWord.FREE : state);
  }

  /** Instead of {@code next} in {@code onNodeLost}: a lock whose holder died goes to nobody. */
  static void keepWaiting(LockHome home) {}
}

package dev.weft.service;

/** The command that waits for an answer of {@link Running#answer(java.util.List, Asker)}. */
@FunctionalInterface
public interface Asker {
  /**
   * For what takes long, and is of no use to anybody else: says what to do when the command goes before it has its answer, as one does that is killed. What
   * was asked for before is not done then.
   *
   * @param action called at most once, on a thread of its own, perhaps just as the answer is given; must not throw
   */
  void whenGone(Runnable action);
}

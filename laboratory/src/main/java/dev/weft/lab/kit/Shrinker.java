package dev.weft.lab.kit;

import java.util.function.Predicate;

/** Makes a failing run smaller while it still fails. The fixed facts go into the command that replays it. */
public final class Shrinker<O extends RunOptions<O>> {
  private static final int RUNS_MAX = 60;

  private final Predicate<O> fails;
  private O best;
  private int runs;

  /** Starts from failing options; {@code fails} says whether the seed fails with given options. */
  public Shrinker(O start, Predicate<O> fails) {
    this.best = start;
    this.fails = fails;
  }

  /** Returns the smallest failing options found. */
  public O shrink() {
    O before;
    do {
      before = best;
      for (RunOptions.Cut<O> cut : best.cuts()) {
        while (keepIfFails(cut.of().apply(best)) && cut.repeats()) {
          continue;
        }
      }
    } while (!best.equals(before) && runs < RUNS_MAX);
    return best;
  }

  private boolean keepIfFails(O candidate) {
    if (candidate == null || candidate.equals(best) || runs++ >= RUNS_MAX || !fails.test(candidate)) {
      return false;
    }
    best = candidate;
    return true;
  }
}

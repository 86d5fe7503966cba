package dev.weft.lab.trials.dsm.litmus;

/**
 * How a litmus shape is played.
 *
 * @param name prefix of the names of shared objects, 1 to 40 letters, digits, dots, hyphens or underscores; concurrent runs need different ones
 * @param placement places of the words of an instance
 * @param rounds number of instances to play, 1 or more
 * @param batch instances of an array, 1 to {@link #BATCH_MAX}; threads meet before and after each batch. Small batches keep the threads together,
 *     large ones make meeting cheap
 * @param window instances that each thread plays in an order of its own, 1 or more: with 1 all play them in the same order, with many the threads
 *     seldom play the same one at the same time
 * @param seed seed of the orders, and of the words that a thread reads before a batch
 */
public record LitmusSettings(String name, Placement placement, long rounds, int batch, int window, long seed) {
  /** Maximum number of instances of a batch: an array on several pages has 64 bytes for each word of each. */
  public static final int BATCH_MAX = 1 << 16;

  /** Checks the numbers. */
  public LitmusSettings {
    if (!name.matches("[A-Za-z0-9._-]{1,40}")) {
      throw new IllegalArgumentException("name \"" + name + "\", must be 1 to 40 letters, digits, dots, hyphens or underscores");
    }
    if (rounds < 1 || batch < 1 || batch > BATCH_MAX || window < 1) {
      throw new IllegalArgumentException(rounds + " rounds, " + batch + " in a batch, " + window
          + " in an order of their own, must be 1 or more, and at most " + BATCH_MAX + " in a batch");
    }
  }

  /** Settings with batches of 64 and windows of 4. */
  public static LitmusSettings of(String name, Placement placement, long rounds, long seed) {
    return new LitmusSettings(name, placement, rounds, 64, 4, seed);
  }

  long batches() {
    return (rounds + batch - 1) / batch;
  }

  /** Number of rounds of a batch. */
  int roundsOf(long number) {
    return (int) Math.min(batch, rounds - number * batch);
  }
}

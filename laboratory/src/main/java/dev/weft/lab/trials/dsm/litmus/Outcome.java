package dev.weft.lab.trials.dsm.litmus;

import java.util.Arrays;
import java.util.List;

/**
 * The outcome of one round of a litmus shape.
 *
 * @param values the registers, r0 first, then the last values of the words that the shape observes, in its order
 */
public record Outcome(List<Long> values) implements Comparable<Outcome> {
  public Outcome {
    values = List.copyOf(values);
  }

  /** An outcome of these values. */
  public static Outcome of(long... values) {
    return new Outcome(Arrays.stream(values).boxed().toList());
  }

  @Override
  public int compareTo(Outcome other) {
    for (int i = 0; i < Math.min(values.size(), other.values.size()); i++) {
      int order = Long.compare(values.get(i), other.values.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(values.size(), other.values.size());
  }
}

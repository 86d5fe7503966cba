package dev.weft.lab.repro;

import java.util.List;

/**
 * Why a row could not have come out otherwise: it follows from what goes in, or from the model.
 *
 * @param how in a few words
 * @param inputs rows of {@code figures.csv}, paths in the profile that the experiment runs under, or {@link #MODEL}; one or more
 */
public record Derivation(String how, List<String> inputs) {
  /** An input that has no name: the model charges nothing for what the row is about. */
  public static final String MODEL = "the model";

  public Derivation {
    inputs = List.copyOf(inputs);
    if (how.isBlank() || inputs.isEmpty()) {
      throw new IllegalArgumentException("a derivation '" + how + "' from " + inputs + ", must say how and from what");
    }
  }

  public static Derivation of(String how, String... inputs) {
    return new Derivation(how, List.of(inputs));
  }

  /** For a report. */
  String text() {
    return String.join(", ", inputs) + ": " + how;
  }
}

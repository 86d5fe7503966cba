package dev.weft.lab.repro;

import java.util.List;
import java.util.Map;

/** One table or figure of a seed, run by our code. Stateless; one run at a time. */
public interface Experiment {
  /** Of a calibrated row. */
  Tolerance CALIBRATED_TOLERANCE = Tolerance.relative(0.03);
  /** Of a predicted row unless the experiment says otherwise. */
  Tolerance PREDICTED_TOLERANCE = Tolerance.relative(0.35);

  /** What the command line calls it, for example {@code testswap}. */
  String name();

  /** What it shows, in one line, with seed and figure. */
  String title();

  /** The hardware profile that it runs under unless another is asked for; in real time what is measured. */
  String defaultProfile();

  /** Ids of the rows of {@code figures.csv} that it speaks to; a run answers each of them. */
  List<String> rows();

  /** Tolerance of a predicted row. */
  default Tolerance tolerance(String row) {
    return PREDICTED_TOLERANCE;
  }

  /**
   * Those of its rows that follow from what goes in (a profile's numbers, other rows, what the model charges nothing for), and from what.
   * They are shown apart and never count as agreement.
   */
  default Map<String, Derivation> derived() {
    return Map.of();
  }

  /** Rows that would be another number, had something been chosen otherwise that the paper leaves open; and what was chosen. */
  default Map<String, String> choices() {
    return Map.of();
  }

  /** How well several of its rows agree together; judged by the report, as checks. */
  default List<Agreement> agreements() {
    return List.of();
  }

  /** Whether it measures this machine in real time. Such a one takes no profile, is not repeatable, and is not among 'all'. */
  default boolean isRealTime() {
    return false;
  }

  /** Whether {@link Setting#size()} says how large it is. */
  default boolean isSized() {
    return false;
  }

  /**
   * Runs it, in virtual time unless {@link #isRealTime()}.
   *
   * @throws IllegalArgumentException if the profile is unknown or lacks what the experiment needs
   */
  Findings run(Setting setting);
}

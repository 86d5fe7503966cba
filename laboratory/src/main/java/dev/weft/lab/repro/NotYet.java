package dev.weft.lab.repro;

import dev.weft.lab.figures.Figure;
import java.util.LinkedHashMap;
import java.util.Map;

/** Why a row has no experiment: what the code would need first. */
final class NotYet {
  /** By the beginning of the row's id; the first that fits counts. */
  private static final Map<String, String> REASONS = new LinkedHashMap<>();

  static {
    REASONS.put("dsm.t2.", "another network, and another operating system (seed 000 table 2); for reference");
    REASONS.put("pvfs.fs.", "a file system in memory that is written (seed 002)");
    REASONS.put("clan.", "the paper does not say what a compilation asks of NFS (seed 003)");
  }

  private NotYet() {}

  /** @throws IllegalStateException if nobody has said why */
  static String reason(Figure row) {
    for (Map.Entry<String, String> reason : REASONS.entrySet()) {
      if (row.id().startsWith(reason.getKey())) {
        return "not yet: " + reason.getValue();
      }
    }
    throw new IllegalStateException("row " + row.id() + " has no experiment, and nobody says why");
  }
}

package dev.weft.lab.kit;

import java.util.List;

/**
 * A seed that failed.
 *
 * @param replay command that repeats the shrunk run
 * @param chart message sequence chart of the shrunk run; empty for all but the first failures
 */
public record Failure(long seed, String shape, List<String> violations, String replay, String chart) {
  /** Several lines of text. */
  public String describe() {
    StringBuilder text = new StringBuilder("seed " + seed + " failed: " + shape + "\n");
    violations.forEach(violation -> text.append("  ").append(violation).append('\n'));
    return text.append(chart).append("  replay: ").append(replay).toString();
  }
}

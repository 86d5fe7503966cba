package dev.weft.lab.trials.pvfs;

import java.util.List;
import java.util.Map;

/** One of the measurements. */
interface Measurement {
  /** Its name in the command. */
  String name();

  /** The columns of each row, by their keys in {@code --json}; the values are numbers or words. */
  List<String> columns();

  /** Returns how often {@link Laboratory#step} will be called. */
  int steps(BenchOptions options);

  /** Runs the measurement; returns rows with all columns. */
  List<Map<String, Object>> run(Laboratory laboratory, BenchOptions options) throws Exception;
}

package dev.weft.pvfs.service.bench;

import java.util.List;
import java.util.Map;

/** One of the measurements. */
interface Measurement {
  /** As the command names it. */
  String name();

  /** What each row has, by the key of {@code --json}; the values are numbers or words. */
  List<String> columns();

  /** How often {@link Laboratory#step} will be called. */
  int steps(BenchOptions options);

  /** Measures; rows have all columns. */
  List<Map<String, Object>> run(Laboratory laboratory, BenchOptions options) throws Exception;
}

package dev.weft.perftest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A test; its name on the command line is, for example, {@code write-lat}. */
record PerfTest(PerfOperation operation, PerfMetric metric) {
  String cliName() {
    return operation.cliName() + "-" + metric.name().toLowerCase(Locale.ROOT);
  }

  /** Whether both directions of a round trip carry the message, so that the latency is half of the round trip. */
  boolean isPingPong() {
    return metric == PerfMetric.LAT && !operation.isReadOrAtomic();
  }

  static List<PerfTest> all() {
    List<PerfTest> tests = new ArrayList<>();
    for (PerfOperation operation : PerfOperation.values()) {
      for (PerfMetric metric : PerfMetric.values()) {
        tests.add(new PerfTest(operation, metric));
      }
    }
    return tests;
  }

  /** @throws IllegalArgumentException if there is no such test */
  static PerfTest of(String name) {
    for (PerfTest test : all()) {
      if (test.cliName().equals(name)) {
        return test;
      }
    }
    throw new IllegalArgumentException("there is no test '" + name + "'; the tests are "
        + String.join(", ", all().stream().map(PerfTest::cliName).toList()));
  }
}

package dev.weft.lab.trials.dsm.apps;

import java.util.List;

/** A program on shared memory whose result can be verified. Any thread. */
public interface Application {
  /** Name, one word in lower case. */
  String name();

  /** Title for users. */
  String title();

  /** Names of its sizes; the first is small and the default. */
  List<String> sizes();

  /**
   * Makes this worker's part; finds or makes the shared objects.
   *
   * @throws IllegalArgumentException if there is no such size, listing the sizes; or if worker, count or run are out of range
   */
  Work work(Worker worker, String size);
}

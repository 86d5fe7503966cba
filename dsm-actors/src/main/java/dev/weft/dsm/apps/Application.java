package dev.weft.dsm.apps;

import java.util.List;

/** A program on shared memory whose result can be verified. Any thread. */
public interface Application {
  /** One word in lower case. */
  String name();

  /** A line for people. */
  String title();

  /** Names of the sizes it runs with; the first is small and the default. */
  List<String> sizes();

  /**
   * This worker's part. Finds or makes the shared objects.
   *
   * @throws IllegalArgumentException if there is no such size, naming those that there are; if worker, count or run are out of range
   */
  Work work(Worker worker, String size);
}

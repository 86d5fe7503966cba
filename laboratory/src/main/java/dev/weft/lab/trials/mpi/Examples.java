package dev.weft.lab.trials.mpi;

import java.util.List;
import java.util.stream.Collectors;

/** All examples. Register new ones here. */
public final class Examples {
  private static final List<Example> ALL = List.of(new RingExample(), new PiExample(), new EpExample(), new IsExample());

  private Examples() {}

  public static List<Example> all() {
    return ALL;
  }

  /**
   * Returns the example with this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Example named(String name) {
    return ALL.stream().filter(example -> example.name().equals(name)).findFirst().orElseThrow(() -> new IllegalArgumentException(
        "there is no example '" + name + "'; there are " + ALL.stream().map(Example::name).collect(Collectors.joining(", "))));
  }
}

package dev.weft.lab.trials.dsm.apps;

import java.util.List;

/** All applications, in the order of the paper's table. */
public final class Applications {
  private static final List<Application> ALL = List.of(new Sor(), new Lu(), new IntegerSort(), new Tsp(), new Water(), new NBody(), new NBodyW(),
      new BarnesHut());

  private Applications() {}

  public static List<Application> all() {
    return ALL;
  }

  /** Returns the application with this name; throws IllegalArgumentException, listing the names, if there is none. */
  public static Application byName(String name) {
    return ALL.stream().filter(application -> application.name().equals(name)).findFirst().orElseThrow(
        () -> new IllegalArgumentException("no application '" + name + "', must be one of " + ALL.stream().map(Application::name).toList()));
  }
}

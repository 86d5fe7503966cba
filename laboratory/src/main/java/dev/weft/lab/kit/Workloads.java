package dev.weft.lab.kit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** The workloads on the class path. */
public final class Workloads {
  private Workloads() {}

  /**
   * Returns the workloads in the order of the class path.
   *
   * @throws IllegalStateException if two have the same name
   */
  public static List<Workload<?>> all() {
    Map<String, Workload<?>> byName = new LinkedHashMap<>();
    for (Workload<?> workload : ServiceLoader.load(Workload.class)) {
      Workload<?> other = byName.put(workload.name(), workload);
      if (other != null) {
        throw new IllegalStateException("two workloads are named " + workload.name() + ": " + other.getClass().getName() + " and "
            + workload.getClass().getName());
      }
    }
    return List.copyOf(new ArrayList<>(byName.values()));
  }
}

package dev.weft.lab.kit;

import java.util.List;

/**
 * An option of {@code weft sim} that a workload takes.
 *
 * @param names with dashes; the last one is its own, and that of the replay
 * @param label what its value is
 * @param description of what it fixes, for help
 */
public record Parameter(List<String> names, String label, String description) {
  public Parameter {
    names = List.copyOf(names);
  }

  public static Parameter of(String name, String label, String description) {
    return new Parameter(List.of(name), label, description);
  }

  public String name() {
    return names.getLast();
  }
}

package dev.weft.lab.kit;

import java.util.List;

/**
 * An option of {@code weft sim} that a workload accepts.
 *
 * @param names names with dashes; the last one is its own, and appears in replay commands
 * @param label placeholder of its value
 * @param description what it fixes, for the help
 */
public record Parameter(List<String> names, String label, String description) {
  public Parameter {
    names = List.copyOf(names);
    for (String name : names) {
      if (!name.matches("--?[a-z][a-z-]*")) {
        throw new IllegalArgumentException("the option '" + name + "' of a workload must begin with dashes, such as --" + name.replaceAll("[^a-z-]", ""));
      }
    }
  }

  public static Parameter of(String name, String label, String description) {
    return new Parameter(List.of(name), label, description);
  }

  public String name() {
    return names.getLast();
  }
}

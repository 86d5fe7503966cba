package dev.weft.lab.kit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The given values of options, by the option's own name. */
public record Given(Map<String, String> values) {
  public static final Given NOTHING = new Given(Map.of());

  public Given {
    values = Map.copyOf(values);
  }

  /**
   * Parses the output of {@link RunOptions#toArguments}.
   *
   * @throws IllegalArgumentException if an option is unknown, or lacks its value
   */
  public static Given of(List<String> arguments, List<Parameter> known) {
    List<String> names = known.stream().map(Parameter::name).toList();
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < arguments.size(); i += 2) {
      if (!names.contains(arguments.get(i)) || i + 1 == arguments.size()) {
        throw new IllegalArgumentException("the arguments are " + arguments + ", must be options of " + names + ", each with a value");
      }
      values.put(arguments.get(i), arguments.get(i + 1));
    }
    return new Given(values);
  }

  /** Null if it was not given. */
  public String text(String name) {
    return values.get(name);
  }

  /** Null if it was not given. */
  public Double number(String name) {
    try {
      return values.containsKey(name) ? Double.valueOf(values.get(name)) : null;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is '" + values.get(name) + "', must be a number", e);
    }
  }

  /** {@code otherwise} if it was not given. */
  public int integer(String name, int otherwise) {
    try {
      return values.containsKey(name) ? Integer.parseInt(values.get(name)) : otherwise;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is '" + values.get(name) + "', must be a whole number", e);
    }
  }

  /** The given classes of faults; all {@code known} ones if none were given. */
  public Set<FaultClass> faults(String name, Set<FaultClass> known) {
    String list = values.get(name);
    return list == null || list.equals("all") ? known : FaultClass.parse(list);
  }

  /** Null if it was not given. */
  public Boolean truth(String name) {
    return switch (values.getOrDefault(name, "")) {
      case "" -> null;
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(name + " is '" + values.get(name) + "', must be true or false");
    };
  }
}

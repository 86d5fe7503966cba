package dev.weft.lab.kit;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Names of enum constants, for results, which do not depend on a workload's types. */
public final class Names {
  private Names() {}

  public static <E extends Enum<E>> Map<String, Integer> of(Map<E, Integer> counts) {
    Map<String, Integer> named = new LinkedHashMap<>();
    counts.forEach((kind, count) -> named.put(kind.name(), count));
    return named;
  }

  public static <E extends Enum<E>> List<String> of(E[] kinds) {
    return Arrays.stream(kinds).map(Enum::name).toList();
  }
}

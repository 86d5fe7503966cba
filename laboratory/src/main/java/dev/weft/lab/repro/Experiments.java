package dev.weft.lab.repro;

import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Every experiment there is: a new one is named in {@code META-INF/services}, whose order is that of reports. */
final class Experiments {
  private static final List<Experiment> ALL = ServiceLoader.load(Experiment.class).stream().map(ServiceLoader.Provider::get).toList();

  private Experiments() {}

  static List<Experiment> all() {
    return ALL;
  }

  /** Those of a name, or of a group: {@code clan} stands for all whose names begin with {@code clan-}. Empty if there is none. */
  static List<Experiment> named(String name) {
    List<Experiment> exactly = ALL.stream().filter(e -> e.name().equals(name)).toList();
    return exactly.isEmpty() ? ALL.stream().filter(e -> e.name().startsWith(name + "-")).toList() : exactly;
  }

  static String names() {
    return ALL.stream().map(Experiment::name).collect(Collectors.joining(", "));
  }

  /** The names of those that speak to a row, joined by commas; empty if there is none. */
  static String speakingTo(String row, List<Experiment> experiments) {
    return experiments.stream().filter(e -> e.rows().contains(row)).map(Experiment::name).collect(Collectors.joining(","));
  }
}

package dev.weft.lab.sim;

import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.Workload;
import dev.weft.lab.kit.Workloads;
import dev.weft.service.IdleOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options of workloads for {@code weft sim}. */
final class SimOptions {
  private static final String DEFAULT = "pager";

  private SimOptions() {}

  /** Adds the options of all workloads. */
  static CommandSpec addTo(CommandSpec spec) {
    Map<String, String> descriptions = new LinkedHashMap<>();
    Map<String, Parameter> parameters = new LinkedHashMap<>();
    for (Workload<?> workload : Workloads.all()) {
      for (Parameter parameter : workload.parameters()) {
        descriptions.merge(parameter.name(), workload.name() + ": " + parameter.description(), (one, other) -> one + "; " + other);
        parameters.putIfAbsent(parameter.name(), parameter);
      }
    }
    parameters.forEach((name, parameter) -> spec.addOption(OptionSpec.builder(parameter.names().toArray(String[]::new)).type(String.class)
        .paramLabel(parameter.label()).arity("1").description(descriptions.get(name)).build()));
    return spec;
  }

  /** Returns the workload with this name; without a name, the one that accepts the given options. */
  static Workload<?> workload(CommandSpec spec, String name) {
    List<Workload<?>> all = Workloads.all();
    if (name == null) {
      Workload<?> usual = all.stream().filter(workload -> workload.name().equals(DEFAULT)).findFirst().orElse(all.getFirst());
      return all.stream().filter(workload -> workload.parameters().stream().anyMatch(p -> isGiven(spec, p) && !takes(usual, p)))
          .findFirst().orElse(usual);
    }
    return all.stream().filter(workload -> workload.name().equals(name)).findFirst().orElseThrow(() -> new ParameterException(
        spec.commandLine(), "there is no workload '" + name + "'; choose one of " + all.stream().map(Workload::name).collect(Collectors.joining(", "))));
  }

  /** The given options of a workload; refuses those of other workloads. */
  static Given given(CommandSpec spec, Workload<?> workload) {
    Map<String, String> values = new LinkedHashMap<>();
    for (Workload<?> other : Workloads.all()) {
      for (Parameter parameter : other.parameters()) {
        if (takes(workload, parameter)) {
          if (isGiven(spec, parameter)) {
            values.put(parameter.name(), spec.commandLine().getParseResult().matchedOptionValue(parameter.name(), ""));
          }
        } else {
          IdleOptions.refuse(spec, "with the workload " + workload.name() + "; it belongs to --workload " + other.name(), parameter.name());
        }
      }
    }
    return new Given(values);
  }

  private static boolean takes(Workload<?> workload, Parameter parameter) {
    return workload.parameters().stream().anyMatch(own -> own.name().equals(parameter.name()));
  }

  private static boolean isGiven(CommandSpec spec, Parameter parameter) {
    return spec.commandLine().getParseResult().hasMatchedOption(parameter.name());
  }
}

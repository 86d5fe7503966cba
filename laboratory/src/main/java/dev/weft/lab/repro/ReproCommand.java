package dev.weft.lab.repro;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.lab.figures.Figures;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.IdleOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft repro}. */
@Command(
    name = "repro",
    description = {"Runs experiments of the papers in virtual time and compares the results.",
        "For each number of a paper, the report gives our number, the ratio, whether the model was calibrated on the paper's number or "
            + "predicts it, and whether both agree within the stated tolerance. Rows that follow directly from inputs have a table of their own.",
        "The same profile and seed give the same report on every machine. The experiment 'scale', and those whose names end in -real, measure "
            + "this machine instead."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft repro list                       the experiments and the rows they cover",
        "  ./weft repro testswap --plots /tmp/p    one, with plots and a report page",
        "  ./weft repro contexts contexts-real     receive contexts, simulated and real",
        "  ./weft repro clan                       all whose names begin with clan-",
        "  ./weft repro scale --hosts 1000         the cost of simulating 1,000 hosts",
        "  ./weft repro all --seed 7 --json"})
public final class ReproCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NAME", arity = "1..*", description = "experiments to run; 'all' for every one in virtual time,"
      + " 'list' to list them")
  private List<String> names;

  @Option(names = "--profile", paramLabel = "P", description = "hardware profile instead of each experiment's own")
  private String profile;

  @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "seed of the run (default: ${DEFAULT-VALUE})")
  private long seed;

  @Option(names = "--hosts", paramLabel = "N", description = "scale: hosts of the largest cluster (default: 1000)")
  private Integer hosts;

  @Option(names = "--messages", paramLabel = "M", description = "scale: messages that they exchange (default: 1000000)")
  private Long messages;

  @Option(names = "--plots", paramLabel = "DIR", description = "write plots (SVG and PNG) and report.html to this directory")
  private Path plots;

  @Option(names = "--json", description = "the report as one JSON object")
  private boolean json;

  @Option(names = "--strict", description = "end with exit code 1 if a row differs by more than its tolerance, or a"
      + " check fails")
  private boolean strict;

  @Override
  public Integer call() throws JsonProcessingException {
    Figures figures = Figures.load();
    PrintWriter out = spec.commandLine().getOut();
    if (names.contains("list")) {
      if (names.size() > 1) {
        throw new ParameterException(spec.commandLine(), "'list' takes no other names; give it alone");
      }
      IdleOptions.refuse(spec, "with list, which runs nothing", "--profile", "--seed", "--hosts", "--messages", "--plots", "--strict");
      out.print(json ? line(JsonReport.list(Experiments.all(), figures)) : TextReport.list(Experiments.all(), figures));
      out.flush();
      return ExitCode.OK;
    }
    List<Run> runs = new ArrayList<>();
    Set<Experiment> chosen = chosen();
    Size size = size(chosen);
    for (Experiment experiment : chosen) {
      Run run = run(experiment, size, figures);
      runs.add(run);
      if (!json) {
        out.println(TextReport.of(run));
        out.flush();
      }
    }
    if (json) {
      out.print(line(JsonReport.of(runs, figures)));
    } else if (runs.stream().anyMatch(run -> !run.experiment().isRealTime())) {
      out.print(TextReport.of(Summary.of(runs, figures)));
    }
    if (plots != null) {
      writePlots(runs, figures);
      if (!json) {
        out.println("plots and report.html are in " + plots);
      }
    }
    out.flush();
    return strict && runs.stream().anyMatch(Run::isOff) ? ExitCode.FAILURE : ExitCode.OK;
  }

  private static String line(Object tree) throws JsonProcessingException {
    return new ObjectMapper().writeValueAsString(tree) + "\n";
  }

  private Size size(Set<Experiment> chosen) {
    if (hosts == null && messages == null) {
      return Size.DEFAULT;
    }
    if (chosen.stream().noneMatch(Experiment::isSized)) {
      throw new ParameterException(spec.commandLine(), "--hosts and --messages are for the experiment 'scale' only; leave them out, or add scale");
    }
    try {
      return new Size(hosts == null ? Size.DEFAULT.hosts() : hosts, messages == null ? Size.DEFAULT.messages() : messages);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(spec.commandLine(), wrong.getMessage(), wrong);
    }
  }

  private Run run(Experiment experiment, Size size, Figures figures) {
    try {
      return Run.of(experiment, profile, seed, size, figures);
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure("experiment " + experiment.name() + ": " + wrong.getMessage(), wrong);
    }
  }

  /** What 'all' means. */
  static Stream<Experiment> inVirtualTime() {
    return Experiments.all().stream().filter(experiment -> !experiment.isRealTime());
  }

  private Set<Experiment> chosen() {
    Set<Experiment> chosen = new LinkedHashSet<>();
    for (String name : names) {
      if (name.equals("all")) {
        inVirtualTime().forEach(chosen::add);
      } else {
        List<Experiment> named = Experiments.named(name);
        if (named.isEmpty()) {
          throw new ParameterException(spec.commandLine(),
              "there is no experiment '" + name + "'; 'weft repro list' shows all");
        }
        chosen.addAll(named);
      }
    }
    return chosen;
  }

  private void writePlots(List<Run> runs, Figures figures) {
    try {
      HtmlReport.write(runs, figures, plots);
    } catch (IOException e) {
      throw new CommandFailure("cannot write plots to " + plots + ": " + e.getMessage(), e);
    }
  }
}

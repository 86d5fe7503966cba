package dev.weft.lab.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.lab.sim.pager.ClusterOptions;
import dev.weft.lab.sim.pager.FaultClass;
import dev.weft.lab.sim.rc.SimulationOptions;
import dev.weft.lab.sim.rc.SimulationReport;
import dev.weft.lab.sim.rc.SimulationRunner;
import dev.weft.service.IdleOptions;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code weft sim}. */
@Command(
    name = "sim",
    description = {"Runs a cluster in deterministic virtual time under faults, once for each seed, and checks what comes out: a pager with its",
        "servers and clients, or with --workload rc the transport alone, with every verb. A seed gives the same run on every machine.",
        "What is not fixed is drawn from the seed. Failures are shown when they happen; a failing run of the pager is cut down first and shown",
        "as a message sequence chart. Ctrl-C ends with the seed under way, and with the summary."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft sim --seeds 1..200",
        "  ./weft sim --minutes 30                 as many seeds as fit",
        "  ./weft sim --seeds 1..50 --faults loss,server-crash",
        "  ./weft sim --workload rc --seeds 1..1000",
        "  ./weft sim --seeds 42..42 --loss 0.02   one run of the transport, its loss rate fixed"})
public final class SimCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** What runs over the fabric. */
  enum Workload {
    PAGER,
    RC
  }

  @Option(names = "--workload", paramLabel = "pager|rc", converter = WorkloadConverter.class,
      description = "a whole cluster with pager traffic, or the transport alone (default: pager; rc when a rate is given)")
  private Workload workload;

  @Option(names = "--minutes", paramLabel = "M", description = "pager: go on from the first seed for so long")
  private double minutes;

  @Option(names = "--faults", paramLabel = "LIST", defaultValue = "all", description = {
      "pager: classes that may happen, with commas: all, none, loss, duplication, reordering, corruption, latency, partition,",
      "server-crash, client-crash, slow-server, pause, connection-loss, server-restart (default: ${DEFAULT-VALUE})"})
  private String faults;

  @Option(names = "--ops", paramLabel = "N", description = "pager: most requests of each client, at most " + ClusterOptions.OPS_MAX)
  private int ops = ClusterOptions.OPS_MAX;

  @Option(names = "--servers", paramLabel = "N", description = "pager: most memory servers, at most " + ClusterOptions.SERVERS_MAX)
  private int servers = ClusterOptions.SERVERS_MAX;

  @Option(names = "--clients", paramLabel = "N", description = "pager: most clients, at most " + ClusterOptions.CLIENTS_MAX)
  private int clients = ClusterOptions.CLIENTS_MAX;

  @Option(names = "--chart", paramLabel = "LINES", defaultValue = "60",
      description = "pager: lines of a failing run's chart (default: ${DEFAULT-VALUE})")
  private int chartLines;

  @Option(names = "--seeds", paramLabel = "A..B", defaultValue = "1..100", converter = SeedRange.Converter.class,
      description = "seeds to run, both ends included (default: ${DEFAULT-VALUE})")
  private SeedRange seeds;

  @Option(names = {"--loss"}, paramLabel = "P", description = "probability that a cable loses a packet, at most " + SimulationOptions.LOSS_MAX)
  private Double loss;

  @Option(names = {"--dup", "--duplication"}, paramLabel = "P", description = "that it delivers one twice, at most " + SimulationOptions.DISTURBANCE_MAX)
  private Double duplication;

  @Option(names = {"--reorder", "--reordering"}, paramLabel = "P", description = "that it delivers one late, at most " + SimulationOptions.DISTURBANCE_MAX)
  private Double reordering;

  @Option(names = {"--corrupt", "--corruption"}, paramLabel = "P", description = "that it flips bits of one, at most " + SimulationOptions.LOSS_MAX)
  private Double corruption;

  @Option(names = "--partitions", paramLabel = "true|false", arity = "1", description = "whether nodes are cut off now and then")
  private Boolean partitions;

  @Option(names = "--json", description = "the report as one JSON object")
  private boolean json;

  @Override
  public Integer call() throws JsonProcessingException {
    boolean ratesGiven = loss != null || duplication != null || reordering != null || corruption != null || partitions != null;
    if (workload == Workload.PAGER && ratesGiven) {
      throw new ParameterException(spec.commandLine(), "rates belong to --workload rc; the pager takes --faults");
    }
    if (workload == Workload.RC || ratesGiven) {
      IdleOptions.refuse(spec, "with the workload rc; it belongs to --workload pager", "--minutes", "--faults", "--ops", "--servers", "--clients",
          "--chart");
      return runTransport();
    }
    return new PagerSimulation(seeds, minutes, clusterOptions(), chartLines)
        .run(spec.commandLine().getOut(), spec.commandLine().getErr(), json);
  }

  private ClusterOptions clusterOptions() {
    if (minutes < 0 || chartLines < 0) {
      throw new ParameterException(spec.commandLine(), "--minutes and --chart must not be negative");
    }
    try {
      return new ClusterOptions(FaultClass.parse(faults), ops, servers, clients);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(spec.commandLine(), wrong.getMessage());
    }
  }

  private int runTransport() throws JsonProcessingException {
    SimulationRunner runner = new SimulationRunner(options());
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    long startNs = System.nanoTime();
    try (LiveRun live = new LiveRun(json ? err : out, err, seeds.count())) {
      SimulationReport report = runner.run(seeds.first(), seeds.last(), live::isInterrupted, result -> live.step(result.isClean()),
          failure -> live.failed(failure.describe()));
      live.end();
      double seconds = (System.nanoTime() - startNs) / 1e9;
      String shown = json ? new ObjectMapper().writeValueAsString(toJson(report, seconds)) : text(report, seconds);
      return Summary.conclude(out, err, shown, live.isInterrupted(), report.failureCount(), report.seeds(), report.failures(),
          failure -> failure.replay());
    }
  }

  /** Reads {@code pager} and {@code rc}. */
  static final class WorkloadConverter implements ITypeConverter<Workload> {
    @Override
    public Workload convert(String text) {
      return switch (text) {
        case "pager" -> Workload.PAGER;
        case "rc" -> Workload.RC;
        default -> throw new TypeConversionException("'" + text + "' is no workload; there are pager and rc");
      };
    }
  }

  private SimulationOptions options() {
    try {
      return new SimulationOptions(loss, duplication, reordering, corruption, partitions);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(spec.commandLine(), wrong.getMessage());
    }
  }

  private String text(SimulationReport r, double seconds) {
    StringBuilder text = new StringBuilder();
    text.append(Summary.seeds(seeds.first(), seeds.first() + r.seeds() - 1, r.seeds(), r.repeated(), r.failureCount(), r.events(), r.virtualNs(), seconds));
    text.append(Summary.packets(r.faults()));
    text.append("requests: ").append(Summary.join(r.operations())).append('\n');
    return text.append("recovery: ").append(Summary.join(r.recovery().counts())).toString();
  }

  private Map<String, Object> toJson(SimulationReport r, double seconds) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("firstSeed", seeds.first());
    fields.put("lastSeed", seeds.first() + r.seeds() - 1);
    fields.put("seeds", r.seeds());
    fields.put("repeated", r.repeated());
    fields.put("failed", r.failureCount());
    fields.put("events", r.events());
    fields.put("virtualSeconds", r.virtualNs() / 1e9);
    fields.put("seconds", seconds);
    fields.put("options", r.options());
    fields.put("faults", r.faults());
    fields.put("operations", r.operations());
    fields.put("recovery", r.recovery().counts());
    fields.put("failures", r.failures());
    return fields;
  }
}

package dev.weft.lab.trials.pvfs;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.LocalFabric;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.service.outside.OutsideOptions;
import dev.weft.pvfs.tcp.TcpFileSystem;
import dev.weft.pvfs.tcp.TcpSettings;
import dev.weft.pvfs.tcp.TcpTransport;
import dev.weft.service.ExitCode;
import dev.weft.service.SizeConverter;
import dev.weft.service.measure.MeasureJson;
import dev.weft.service.terminal.ProgressBar;
import dev.weft.service.terminal.TextTable;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pvfs bench}. */
@Command(name = "bench", description = {"Measures the running file system through its native interface, from a separate JVM.",
    "pvfs-test: each client writes and reads its region of one file. mpi-io: the clients' blocks alternate in one file. small: short requests by "
        + "each band. pipeline: a large transfer, divided into units. registration: buffers registered by each strategy. tile: rows with gaps, by "
        + "list I/O and one by one. metadata: operations on names.",
    "The command removes the files that it creates."})
public final class PvfsBenchCommand implements Callable<Integer> {
  private static final List<Measurement> ALL = List.of(new PvfsTest(), new SmallTest(), new PipelineTest(), new RegistrationTest(), new TileTest(),
      new InterleavedTest(), new MetadataTest());

  private static final Logger LOG = LoggerFactory.getLogger(PvfsBenchCommand.class);

  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Mixin private BenchOptions options = new BenchOptions();

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  @Parameters(paramLabel = "WHAT", description = "pvfs-test, small, pipeline, registration, tile, mpi-io or metadata.")
  private String what;

  @Override
  public Integer call() throws Exception {
    Measurement measurement = ALL.stream().filter(each -> each.name().equals(what)).findFirst()
        .orElseThrow(() -> new ParameterException(spec.commandLine(), "there is no measurement '" + what + "'; there are "
            + String.join(", ", ALL.stream().map(Measurement::name).toList())));
    options.check(spec);
    Config config = ConfigFactory.load();
    show(measurement, outside.isOutside(spec) ? overTcp(measurement, config) : overFabric(measurement, config));
    return ExitCode.OK;
  }

  private List<Map<String, Object>> overFabric(Measurement measurement, Config config) throws Exception {
    try (ClusterFabric fabric = outside.join(spec, config, reason -> LOG.error("this JVM has lost the fabric: {}", reason));
        ProgressBar progress = new ProgressBar(spec.commandLine().getErr(), measurement.steps(options));
        Laboratory laboratory = new Laboratory(fabric, fabric.system().scheduler(), null, config, PvfsFileSystem.MANAGER_NODE, progress)) {
      return measurement.run(laboratory, options);
    }
  }

  private List<Map<String, Object>> overTcp(Measurement measurement, Config config) throws Exception {
    try (TcpTransport transport = new TcpTransport(outside.address(spec), outside.secret(config), TcpSettings.from(config));
        LocalFabric fabric = LocalFabric.start(TcpFileSystem.OF_CLIENTS);
        ProgressBar progress = new ProgressBar(spec.commandLine().getErr(), measurement.steps(options));
        Laboratory laboratory = new Laboratory(fabric, fabric.system().scheduler(), transport, fabric.config(), PvfsFileSystem.MANAGER_NODE, progress)) {
      transport.check();
      return measurement.run(laboratory, options);
    }
  }

  private void show(Measurement measurement, List<Map<String, Object>> rows) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("bench", measurement.name());
      object.put("transport", outside.isOutside(spec) ? "tcp" : "fabric");
      object.put("iterations", options.iterations);
      object.put("rows", rows);
      out.println(MeasureJson.line(object));
    } else {
      table(measurement, rows).lines().forEach(out::println);
    }
    out.flush();
  }

  private static TextTable table(Measurement measurement, List<Map<String, Object>> rows) {
    List<String> columns = measurement.columns();
    boolean[] isWord = new boolean[columns.size()];
    for (int i = 0; i < isWord.length; i++) {
      isWord[i] = !rows.isEmpty() && rows.getFirst().get(columns.get(i)) instanceof String;
    }
    String[] heads = new String[columns.size()];
    for (int i = 0; i < heads.length; i++) {
      heads[i] = (isWord[i] ? "" : ">") + head(columns.get(i));
    }
    TextTable table = new TextTable(heads);
    rows.forEach(row -> table.row(columns.stream().map(column -> shown(column, row.get(column))).toArray()));
    return table;
  }

  /** {@code bestMibPerS} as {@code BEST MiB/s}, and {@code blockBytes} as {@code BLOCK}, because the cells name the unit. */
  private static String head(String key) {
    String name = key.equals("bytes") ? "size" : key.replaceFirst("Bytes$", "").replace("processorSeconds", "cpuS");
    return name.replaceAll("([A-Z])", " $1").replace(" Per ", "/").replace("Gi B", "GiB").toUpperCase(Locale.ROOT).replace("MIB/S", "MiB/s")
        .replace("GIB", "GiB");
  }

  private static String shown(String column, Object value) {
    if (column.equals("bytes") || column.endsWith("Bytes")) {
      return SizeConverter.text(((Number) value).longValue());
    }
    if (value instanceof Double number) {
      return String.format(Locale.ROOT, number >= 100 ? "%.0f" : number >= 10 ? "%.1f" : "%.3f", number);
    }
    return String.valueOf(value);
  }
}

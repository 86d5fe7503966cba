package dev.weft.perftest;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.NodeLink;
import dev.weft.hca.verbs.QpType;
import dev.weft.service.Capturable;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.SizeConverter;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft perftest}. */
@Command(
    name = "perftest",
    description = "Measures latency and bandwidth of the verbs, in the columns of the perftest package. MB is a million bytes.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft perftest write-lat -s 8",
        "  ./weft perftest read-bw -a -D 1 --json",
        "  ./weft perftest send-bw -s 65536 -q 4 -t 64 --verify",
        "  ./weft perftest send-bw -c UD -s 2048        datagrams; lost ones are counted",
        "  ./weft perftest write-lat --rate 10000 -D 5 --histogram write.hgrm"})
public final class PerftestCommand implements Callable<Integer>, Capturable {
  private static final int SIZE_MAX = 1 << 23;
  private static final int ALL_MIN = 2;
  private static final int QUEUE_PAIRS_MAX = 1024;
  private static final int INLINE_MAX = 1024;
  private static final long CAPTURED_ITERATIONS = 100;
  private static final long VERIFY_MEMORY_MAX = 256L << 20;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TEST", description = "send-, write-, write-imm-, read-, cas- or fadd-, followed by lat or bw")
  private String test;

  @Option(names = {"-c", "--connection"}, paramLabel = "RC|UC|UD", defaultValue = "RC",
      description = "connection type: reliable, unreliable, or datagrams (default: RC). UC has sends and writes, UD sends of one packet")
  private QpType type;

  @Option(names = {"-s", "--size"}, paramLabel = "SIZE", converter = SizeConverter.OfInt.class,
      description = "message length, 1 to 8M (default: 8 for lat, 64K for bw; atomics: 8)")
  private Integer size;

  @Option(names = {"-a", "--all"}, description = "all sizes from 2 to 8M, in powers of two")
  private boolean all;

  @Option(names = {"-n", "--iterations", "--iters"}, paramLabel = "N", description = "messages on each queue pair (default: by size)")
  private Long iterations;

  @Option(names = {"-D", "--duration"}, paramLabel = "SECONDS", description = "measure for this time instead of -n")
  private Double seconds;

  @Option(names = {"--warm-up", "--warmup"}, paramLabel = "N", description = "messages on each queue pair before measuring (default: by size)")
  private Long warmUp;

  @Option(names = {"-q", "--qp"}, paramLabel = "QPS", defaultValue = "1", description = "queue pairs, 1 to 1024; bw only")
  private int queuePairs;

  @Option(names = {"-t", "--tx-depth"}, paramLabel = "DEPTH", description = "messages outstanding on a queue pair, 1 to 8192 (default: 128; bw only)")
  private Integer depth;

  @Option(names = "--jvms", paramLabel = "1|2", defaultValue = "1", description = "both nodes in this JVM, or the far one in another (default: 1)")
  private int jvms;

  @Option(names = {"-I", "--inline"}, paramLabel = "SIZE", defaultValue = "0", converter = SizeConverter.OfInt.class,
      description = "send messages up to this length inline, at most 1024")
  private int inlineBytes;

  @Option(names = "--verify", description = "check every byte and every atomic result; wrong ones end with exit code 1")
  private boolean verify;

  @Option(names = "--rate", paramLabel = "OPS", description = "start this number of messages per second, and measure latency from the time each was due")
  private Double rate;

  @Option(names = "--json", description = "one JSON object per line instead of the table")
  private boolean json;

  @Option(names = "--histogram", paramLabel = "FILE", description = "write the latency distribution in HdrHistogram's text form")
  private Path histogram;

  @Option(names = {"-m", "--mtu"}, paramLabel = "SIZE", converter = SizeConverter.OfInt.class,
      description = "path MTU, a power of two from 256 to 64K (default: weft.hca.path-mtu-max)")
  private Integer mtu;

  @Option(names = "--context", paramLabel = "isr|polling", defaultValue = "isr",
      description = "drive the test on the hardware thread, or on an application thread that spins (default: isr)")
  private PerfContext context;

  @Option(names = "--park-target", description = {
      "block and unblock the target's application and all dispatchers of its JVM in turn, and report both latencies",
      "and that its application does not answer; read-, cas- and fadd-lat with --jvms 2 only"})
  private boolean parkTarget;

  @Option(names = "--nic", description = "give the far node a CLAN NIC too, without armed Tripwires, to see what it costs; --jvms 2 only")
  private boolean nic;

  /** Lays the nodes' cables; {@code weft capture} puts taps on them. */
  private Supplier<NodeLink> link = () -> NodeLink.DIRECT;

  /** File of the capture; null without one. */
  private Path capture;

  /**
   * Captures the test: lays the nodes' cables by the link of {@code tapped}, and by default runs only a few messages.
   *
   * @param tapped makes the link; called only after the command line was checked
   * @param file file of the capture
   */
  @Override
  public void captureBy(Supplier<NodeLink> tapped, Path file) {
    link = tapped;
    capture = file;
  }

  private boolean isCaptured() {
    return capture != null;
  }

  @Override
  public Integer call() {
    PerfTest chosen = test();
    List<PerfParameters> plan = plan(chosen);
    long wrong = 0;
    PrintWriter out = spec.commandLine().getOut();
    try (PrintStream distribution = openHistogram(); PerfFabric fabric = fabric()) {
      boolean first = true;
      for (PerfParameters p : plan) {
        PerfResult result = PerfRunner.run(fabric, p, distribution);
        print(out, result, first);
        first = false;
        wrong += result.wrong();
        if (result.wrong() > 0) {
          complain(result);
        }
      }
    }
    return wrong == 0 ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void print(PrintWriter out, PerfResult result, boolean first) {
    if (json) {
      out.println(PerfJson.of(result));
    } else {
      if (first) {
        out.println(PerfTable.preamble(result.parameters(), result.pathMtuBytes(), result.jvms()));
        out.println(PerfTable.header(result.parameters()));
      }
      out.println(PerfTable.row(result));
      if (result.parked() != null) {
        out.println(PerfTable.parked(result));
      }
    }
    out.flush();
  }

  private void complain(PerfResult result) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("weft: verification failed: " + result.wrong() + " of " + result.messages() + " messages of "
        + result.parameters().sizeBytes() + " bytes were wrong; " + result.firstError());
    err.flush();
  }

  private PerfFabric fabric() {
    Config overrides = mtu == null ? ConfigFactory.empty() : ConfigFactory.parseMap(Map.of("weft.hca.path-mtu-max", mtu));
    return jvms == 1 ? new LocalPerfFabric(overrides, link.get()) : new TwoJvmPerfFabric(overrides, nic ? List.of("--equip=tripwire") : List.of());
  }

  private PrintStream openHistogram() {
    if (histogram == null) {
      return null;
    }
    try {
      return new PrintStream(Files.newOutputStream(histogram), true, java.nio.charset.StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new CommandFailure("cannot write the histogram to " + histogram + ": " + e.getMessage(), e);
    }
  }

  // Checks of the options.

  private PerfTest test() {
    try {
      return PerfTest.of(test);
    } catch (IllegalArgumentException unknown) {
      throw usage(unknown.getMessage());
    }
  }

  private List<PerfParameters> plan(PerfTest chosen) {
    check(chosen);
    List<PerfParameters> plan = new ArrayList<>();
    if (all) {
      for (int bytes = ALL_MIN; bytes <= Math.min(SIZE_MAX, type == QpType.UD ? datagramMax() : SIZE_MAX); bytes *= 2) {
        plan.add(parameters(chosen, bytes));
      }
    } else {
      int standard = chosen.operation().isAtomic() || chosen.metric() == PerfMetric.LAT ? 8 : 65536;
      plan.add(parameters(chosen, size != null ? size : type == QpType.UD ? Math.min(standard, datagramMax()) : standard));
    }
    return plan;
  }

  private PerfParameters parameters(PerfTest chosen, int bytes) {
    boolean latency = chosen.metric() == PerfMetric.LAT;
    long standard = isCaptured() ? CAPTURED_ITERATIONS
        : latency ? Math.clamp((2L << 30) / bytes, 500, 200_000) : Math.clamp((8L << 30) / bytes, 1000, 4_000_000);
    long byDefault = verify ? Math.min(standard, Math.clamp((64L << 20) / bytes, 100, 100_000)) : standard;
    long count = seconds != null ? 0 : iterations != null ? iterations : Math.max(1, byDefault / queuePairs);
    long warm = warmUp != null ? warmUp : isCaptured() ? 0 : Math.max(1, (count == 0 ? byDefault / queuePairs : Math.min(count, byDefault)) / 2);
    int outstanding = latency ? 1 : depth == null ? 128 : depth;
    PerfParameters p = new PerfParameters(chosen, type, bytes, count, seconds == null ? 0 : (long) (seconds * 1e9), warm, queuePairs,
        outstanding, inlineBytes, verify, rate == null ? 0 : rate, context, parkTarget);
    long slots = Math.max(1, VERIFY_MEMORY_MAX / (4L * p.strideBytes() * queuePairs));
    return verify && slots < outstanding ? p.withDepth((int) slots) : p;
  }

  private void check(PerfTest chosen) {
    require(size == null || (size >= 1 && size <= SIZE_MAX), "-s is " + size + ", must be from 1 to " + SIZE_MAX);
    checkConnection(chosen);
    require(size == null || !all, "give -s or -a, not both");
    require(!chosen.operation().isAtomic() || (!all && (size == null || size == 8)), "atomics are 8 bytes long; omit -s and -a");
    require(iterations == null || seconds == null, "give -n or -D, not both");
    require(iterations == null || iterations >= 1, "-n is " + iterations + ", must be 1 or more");
    require(seconds == null || (seconds > 0 && seconds <= 86_400), "-D is " + seconds + ", must be above 0 and at most 86400");
    require(warmUp == null || warmUp >= 0, "--warm-up is " + warmUp + ", must be 0 or more");
    require(queuePairs >= 1 && queuePairs <= QUEUE_PAIRS_MAX, "-q is " + queuePairs + ", must be from 1 to " + QUEUE_PAIRS_MAX);
    boolean latency = chosen.metric() == PerfMetric.LAT;
    require(!latency || (queuePairs == 1 && depth == null), "-q and -t are for bandwidth tests; a latency test has one message under way");
    require(depth == null || (depth >= 1 && depth <= Handshake.DEPTH_MAX), "-t is " + depth + ", must be from 1 to " + Handshake.DEPTH_MAX);
    require(inlineBytes >= 0 && inlineBytes <= INLINE_MAX, "--inline is " + inlineBytes + ", must be from 0 to " + INLINE_MAX);
    require(inlineBytes == 0 || !chosen.operation().isReadOrAtomic(), "reads and atomics cannot be inline; omit --inline");
    require(rate == null || (rate > 0 && rate <= 1e8), "--rate is " + rate + ", must be above 0 and at most 100000000");
    require(histogram == null || latency || rate != null, "--histogram needs a latency test or --rate");
    require(mtu == null || (mtu >= 256 && mtu <= 65536 && Integer.bitCount(mtu) == 1),
        "--mtu is " + mtu + ", must be a power of two from 256 to 65536");
    require(jvms == 1 || jvms == 2, "--jvms is " + jvms + ", must be 1 or 2");
    require(!parkTarget || (jvms == 2 && latency && chosen.operation().isReadOrAtomic()),
        "--park-target is for read-lat, cas-lat and fadd-lat with --jvms 2: one JVM has no target apart, and other tests need its application");
    require(jvms == 2 || !nic, "--nic needs --jvms 2");
    require(jvms == 1 || !isCaptured(), "a capture is taken in one JVM; omit --jvms 2");
    require(histogram == null || !isCaptured() || !isOneFile(histogram, capture),
        "the capture and --histogram name the same file, " + histogram + "; name another");
  }

  private void checkConnection(PerfTest chosen) {
    PerfOperation operation = chosen.operation();
    require(type == QpType.RC || !operation.isReadOrAtomic(),
        chosen.cliName() + " needs -c RC: nothing comes back from a peer over " + type + ", so it has no reads and no atomics");
    require(type != QpType.UD || operation == PerfOperation.SEND,
        chosen.cliName() + " needs -c RC or UC: datagrams (UD) are sends only");
    require(type != QpType.UD || size == null || size <= datagramMax(),
        "-s is " + size + ", but a datagram (UD) is one packet, of at most the path MTU of " + datagramMax() + " bytes");
    require(type == QpType.RC || !verify || operation == PerfOperation.SEND || chosen.metric() == PerfMetric.LAT,
        chosen.cliName() + " is verified by reading back, which needs -c RC; omit --verify");
  }

  /** Returns the largest payload of a packet between the nodes of this run. */
  private int datagramMax() {
    Config config = ConfigFactory.load();
    int port = mtu != null ? mtu : config.getInt("weft.hca.path-mtu-max");
    return jvms == 1 ? port : Math.min(port, config.getInt("weft.fabric.trunk.path-mtu"));
  }

  private static boolean isOneFile(Path one, Path other) {
    try {
      if (Files.exists(one) && Files.exists(other)) {
        return Files.isSameFile(one, other); // Also detects links.
      }
    } catch (IOException unknown) {
      // The names are compared below.
    }
    return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw usage(message);
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

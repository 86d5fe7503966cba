package dev.weft.lab.trials.tripwire;

import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.SizeConverter;
import dev.weft.service.StatusTable;
import dev.weft.service.measure.LatencyRecorder;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft tripwire}. */
@Command(
    name = "tripwire",
    description = {"Measures Tripwires and the CLAN NIC in real time, in the columns of perftest.",
        "rtt: a write that fires a Tripwire, and one back; half of the round trip counts. rate: stores that each fire a Tripwire.",
        "bandwidth: DMA, each message fires a Tripwire. server: requests to a server that selects on an event queue; the round trip counts."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft tripwire rtt --jvms 2                       remote write to callback",
        "  ./weft tripwire rtt --jvms 2 --wait block",
        "  ./weft tripwire rate --jvms 2 --tripwires 0,65536  65,536 more armed, or not",
        "  ./weft tripwire bandwidth -s 64K -D 2 --json",
        "  ./weft tripwire server --endpoints 1000 --gap 50   server sleeps in between"})
public final class TripwireCommand implements Callable<Integer> {
  private static final int SIZE_MAX = 1 << 23;
  private static final int ENDPOINTS_MAX = 4096;
  private static final int DEPTH_MAX = 256;
  private static final int BESIDE_MAX = 1 << 19;
  private static final long PLACES_BYTES_MAX = 256L << 20;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "WHAT", description = "rtt, rate, bandwidth or server")
  private TripwireTest test;

  @Option(names = "--jvms", paramLabel = "1|2", defaultValue = "1", description = "both NICs in this JVM, or the far one in another (default: 1)")
  private int jvms;

  @Option(names = {"-s", "--size"}, paramLabel = "SIZE", converter = SizeConverter.OfInt.class,
      description = "length of each write, 1 to 8M (default: 8; bandwidth: 64K)")
  private Integer size;

  @Option(names = {"-n", "--iterations", "--iters"}, paramLabel = "N", description = "writes (default: by test and size)")
  private Long iterations;

  @Option(names = {"-D", "--duration"}, paramLabel = "SECONDS", description = "measure for this time instead of -n")
  private Double seconds;

  @Option(names = {"--warm-up", "--warmup"}, paramLabel = "N", description = "writes before measuring (default: half of -n)")
  private Long warmUp;

  @Option(names = {"-t", "--tx-depth"}, paramLabel = "DEPTH",
      description = "outstanding writes, 1 to 256 (default: 128; server: 1, each on another endpoint)")
  private Integer depth;

  @Option(names = "--wait", paramLabel = "callback|spin|block", defaultValue = "callback",
      description = "rtt: a handler on the hardware thread, a thread that polls, or one that sleeps (default: callback)")
  private TripwireWait how;

  @Option(names = "--endpoints", paramLabel = "N", defaultValue = "1",
      description = "locations to write to, each with a Tripwire, 1 to 4096 (default: 1; not for rtt)")
  private int endpoints;

  @Option(names = "--tripwires", paramLabel = "N", split = ",", defaultValue = "0",
      description = "additional armed Tripwires, which no write touches, 0 to 524288; several numbers, separated by commas, are measured in turn "
          + "(default: 0)")
  private List<Integer> beside;

  @Option(names = "--rounds", paramLabel = "N", defaultValue = "1", description = "turns of each number of --tripwires, 1 to 1000 (default: 1)")
  private int rounds;

  @Option(names = "--gap", paramLabel = "USEC", defaultValue = "0", description = "server: pause between a reply and the next request")
  private long gapUs;

  @Option(names = "--json", description = "one JSON object per line instead of the table")
  private boolean json;

  @Option(names = "--histogram", paramLabel = "FILE", description = "write the latency distribution in HdrHistogram's text form; not for streams")
  private Path histogram;

  @Override
  public Integer call() {
    TripwireParameters p = parameters();
    PrintWriter out = spec.commandLine().getOut();
    int most = beside.stream().mapToInt(Integer::intValue).max().orElseThrow();
    long wrong = 0;
    try (PrintStream distribution = openHistogram(); TripwireFabric fabric = TripwireFabric.start(jvms, most + endpoints + 16)) {
      List<TripwireResult> results = TripwireRun.run(fabric, p, beside, rounds);
      if (!json) {
        out.println(TripwireResult.preamble(p, jvms));
        out.println(results.getFirst().header());
      }
      for (TripwireResult result : results) {
        out.println(json ? result.json() : result.row());
        wrong += result.wrong();
        print(result.latency(), distribution);
      }
      for (int i = 1; i < results.size() && !json; i++) {
        out.println(results.get(i).comparedWith(results.getFirst()));
      }
      out.flush();
    }
    if (wrong > 0) {
      spec.commandLine().getErr().println("weft: " + wrong + " answers had other bytes than were written");
    }
    return wrong == 0 ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void print(LatencyRecorder latency, PrintStream distribution) {
    if (distribution != null && latency.count() > 0) {
      latency.print(distribution, TripwireResult.divisor(test));
    }
  }

  private PrintStream openHistogram() {
    if (histogram == null) {
      return null;
    }
    try {
      return new PrintStream(Files.newOutputStream(histogram), true, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new CommandFailure("cannot write the histogram to " + histogram + ": " + e.getMessage(), e);
    }
  }

  private TripwireParameters parameters() {
    check();
    int bytes = size != null ? size : test == TripwireTest.BANDWIDTH ? 65_536 : 8;
    long standard = test.isStream() ? Math.clamp((8L << 30) / bytes, 1000, 2_000_000) : Math.clamp((2L << 30) / bytes, 500, 100_000);
    if (how == TripwireWait.BLOCK || gapUs > 0) {
      standard = Math.min(standard, 10_000);
    }
    long count = seconds != null ? 0 : iterations != null ? iterations : standard;
    long warm = warmUp != null ? warmUp : Math.max(1, (count == 0 ? standard : Math.min(count, standard)) / 2);
    int outstanding = depth != null ? depth : test.isStream() ? 128 : 1;
    TripwireParameters p = new TripwireParameters(test, how, bytes, count, seconds == null ? 0 : (long) (seconds * 1e9), warm, outstanding,
        endpoints, gapUs * 1000);
    require(p.placesBytes() <= PLACES_BYTES_MAX, endpoints + " endpoints of " + SizeConverter.text(bytes) + " need "
        + StatusTable.bytes(p.placesBytes()) + ", must be at most " + StatusTable.bytes(PLACES_BYTES_MAX) + "; lower --endpoints or -s");
    return p;
  }

  private void check() {
    range("--jvms", jvms, 1, 2);
    require(size == null || (size >= 1 && size <= SIZE_MAX), "-s is " + (size == null ? "" : SizeConverter.text(size)) + ", must be from 1 to "
        + SizeConverter.text(SIZE_MAX));
    range("--endpoints", endpoints, 1, ENDPOINTS_MAX);
    range("--rounds", rounds, 1, 1000);
    range("--gap", gapUs, 0, 1_000_000);
    range("-t", depth == null ? 1 : depth, 1, DEPTH_MAX);
    beside.forEach(count -> range("--tripwires", count, 0, BESIDE_MAX));
    require(new ArrayList<>(beside).size() <= 8, "--tripwires takes at most 8 numbers");
    require(iterations == null || seconds == null, "give -n or -D, not both");
    require(iterations == null || iterations >= 1, "-n is " + iterations + ", must be 1 or more");
    require(seconds == null || (seconds > 0 && seconds <= 86_400), "-D is " + seconds + ", must be above 0 and at most 86400");
    require(warmUp == null || warmUp >= 0, "--warm-up is " + warmUp + ", must be 0 or more");
    require(test != TripwireTest.RTT || (endpoints == 1 && depth == null), "--endpoints and -t are not for rtt, which has one outstanding write");
    require(test == TripwireTest.RTT || how == TripwireWait.CALLBACK, "--wait is for rtt");
    require(test == TripwireTest.SERVER || gapUs == 0, "--gap is for server");
    require(test != TripwireTest.SERVER || depth == null || depth <= endpoints, "-t is " + depth + ", but each outstanding request needs an"
        + " endpoint of its own: raise --endpoints, which is " + endpoints);
    require(histogram == null || !test.isStream(), "--histogram needs rtt or server");
  }

  private void range(String option, long value, long low, long high) {
    require(value >= low && value <= high, option + " is " + value + ", must be from " + low + " to " + high);
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}

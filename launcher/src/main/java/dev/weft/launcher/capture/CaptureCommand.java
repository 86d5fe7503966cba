package dev.weft.launcher.capture;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.cli.ServiceCommands;
import dev.weft.launcher.cluster.RecordedJvms;
import dev.weft.launcher.http.HttpAccess;
import dev.weft.service.Capturable;
import dev.weft.service.CommandFailure;
import dev.weft.service.IdleOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft capture}. */
@Command(
    name = "capture",
    description = {"Writes the packets of a running fabric or of a perftest to a pcapng file, as RoCEv2 with their ICRC.",
        "With --jvm it captures each packet that a node of the JVM sends, or receives from another JVM. It ends when the JVM"
            + " ends, after --duration or --packets, or by Ctrl-C; the file is then complete. It drops packets that it cannot read in time, and"
            + " prints their number. Packets carry the data and the memory keys of the fabric.",
        "With a perftest it captures each packet once. Without -n and -D the test runs 100 messages, without --warm-up it does not warm up: the file"
            + " holds only the test."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft capture --jvm 127.0.0.1:25520 --duration 10 up.pcapng",
        "  ./weft capture --jvm 127.0.0.1:25520 --packets 100 - | tshark -r -",
        "  ./weft capture --jvm 127.0.0.1:25520 --jvm 127.0.0.1:40123 --sent both.pcapng",
        "  ./weft capture write.pcapng -- perftest write-lat -n 10",
        "  ./weft capture big.pcapng -- perftest send-bw -s 1048576 -n 4 --mtu 4096",
        "  tshark -r write.pcapng -O infiniband"})
public final class CaptureCommand implements Callable<Integer> {
  private static final int JVMS_MAX = 16;
  private static final int DURATION_MAX_S = 7 * 86_400;
  private static final String OF_A_PERFTEST = "while a perftest is captured; it belongs to --jvm";

  @Spec private CommandSpec spec;

  @Option(names = "--jvm", paramLabel = "ADDRESS", description = "JVM of a running fabric, HOST:PORT as 'weft status' shows it, or where its"
      + " HTTP inspection listens; may be repeated, up to " + JVMS_MAX + " times: each is an interface of the file")
  private List<String> jvms = List.of();

  @Option(names = "--duration", paramLabel = "SECONDS", description = "end after this time")
  private Integer durationS;

  @Option(names = "--packets", paramLabel = "N", description = "end after this number of packets")
  private Long packets;

  @Option(names = "--sent", description = "leave out packets from other JVMs: if all JVMs are named, the file holds each packet once")
  private boolean sentOnly;

  @Parameters(index = "0", paramLabel = "FILE", description = "the pcapng file to write; an existing one is replaced, once the rest of the"
      + " command line is right. With --jvm, - is standard output")
  private Path file;

  @Parameters(index = "1..*", arity = "0..*", paramLabel = "COMMAND", description = "-- perftest and its arguments")
  private List<String> command = List.of();

  @Override
  public Integer call() throws Exception {
    if (!command.isEmpty() && command.getFirst().startsWith("-") && !command.getFirst().equals("--")) {
      throw wrong(command.getFirst() + " comes after FILE; write options of capture before FILE");
    }
    if (jvms.isEmpty()) {
      return capturePerftest();
    }
    if (!command.isEmpty()) {
      throw wrong("give either --jvm or a perftest, not both; '" + command.getFirst() + "' comes after FILE");
    }
    return captureRunning();
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private int captureRunning() throws IOException, InterruptedException {
    if (jvms.size() > JVMS_MAX) {
      throw wrong("--jvm is given " + jvms.size() + " times; " + JVMS_MAX + " are possible");
    }
    if (durationS != null && (durationS < 1 || durationS > DURATION_MAX_S)) {
      throw wrong("--duration is " + durationS + " s, must be from 1 to " + DURATION_MAX_S);
    }
    if (packets != null && packets < 1) {
      throw wrong("--packets is " + packets + ", must be at least 1");
    }
    boolean toStdout = file.toString().equals(RunningFabricCapture.STDOUT);
    if (toStdout && System.console() != null && System.console().isTerminal()) {
      throw wrong("standard output is a terminal; name a file, or append a reader: | tshark -r -");
    }
    Config config = ConfigFactory.load();
    RecordedJvms recorded = RecordedJvms.open(HttpAccess.from(config).tls());
    List<RunningFabricCapture.Jvm> named = new ArrayList<>();
    for (String jvm : jvms) {
      try {
        RecordedJvms.Found found = recorded.find(jvm);
        named.add(new RunningFabricCapture.Jvm(jvm, found.http(), found.captureKey()));
      } catch (IllegalArgumentException e) {
        throw wrong("--jvm: " + e.getMessage());
      }
    }
    if (named.stream().map(RunningFabricCapture.Jvm::http).distinct().count() < named.size()) {
      throw wrong("--jvm names a JVM twice: " + String.join(", ", jvms));
    }
    return new RunningFabricCapture(config, new RunningFabricCapture.Plan(named, recorded.hint(), file.toString(),
        packets == null ? Long.MAX_VALUE : packets, durationS == null ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(durationS), sentOnly),
        spec.commandLine().getErr()).run();
  }

  private int capturePerftest() {
    IdleOptions.refuse(spec, OF_A_PERFTEST, "--duration", "--packets", "--sent");
    List<String> words = !command.isEmpty() && command.getFirst().equals("--") ? command.subList(1, command.size()) : command;
    CommandLine line = words.isEmpty() ? null : ServiceCommands.named(words.getFirst(), spec.commandLine()).orElse(null);
    if (line == null || !(line.getCommand() instanceof Capturable capturable)) {
      throw wrong("name what to capture: weft capture --jvm ADDRESS FILE for a running fabric ('weft status' shows the addresses), or"
          + " weft capture FILE -- perftest TEST ...");
    }
    if (file.toString().equals(RunningFabricCapture.STDOUT)) {
      throw wrong("perftest writes to standard output itself; name a file");
    }
    CableTap[] opened = new CableTap[1];
    Thread onInterrupt = new Thread(() -> close(opened), "weft-capture-close");
    Runtime.getRuntime().addShutdownHook(onInterrupt);
    capturable.captureBy(() -> open(opened), file); // The file is only opened after the arguments were checked, because that deletes its content.
    try {
      int exitCode = line.execute(words.subList(1, words.size()).toArray(String[]::new));
      CableTap tap = close(opened);
      if (tap != null) {
        report(tap);
      }
      return exitCode;
    } catch (UncheckedIOException e) {
      throw new CommandFailure(e.getMessage() + ": " + e.getCause().getMessage(), e);
    } finally {
      Runtime.getRuntime().removeShutdownHook(onInterrupt);
    }
  }

  /** Closes the tap and returns it; null if it was not opened. */
  private static CableTap close(CableTap[] opened) {
    synchronized (opened) {
      if (opened[0] != null) {
        opened[0].close();
      }
      return opened[0];
    }
  }

  private CableTap open(CableTap[] opened) {
    synchronized (opened) {
      opened[0] = open();
      return opened[0];
    }
  }

  private CableTap open() {
    try {
      return new CableTap(file, ConfigFactory.load());
    } catch (IOException e) {
      throw new CommandFailure("cannot write the capture to " + file + ": " + e, e);
    }
  }

  private void report(CableTap tap) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("weft: " + tap.writtenCount() + " packets in " + file
        + (tap.refusedCount() == 0 ? "" : ", " + tap.refusedCount()
            + " more did not fit; raise weft.fabric.capture.max-file-size or run fewer messages"));
    err.flush();
  }
}

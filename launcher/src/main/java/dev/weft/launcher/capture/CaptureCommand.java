package dev.weft.launcher.capture;

import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.WeftCommand;
import dev.weft.launcher.perftest.PerftestCommand;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft capture}. */
@Command(
    name = "capture",
    description = {"Runs a perftest and writes each packet once, as RoCEv2 with its ICRC, to a pcapng file.",
        "Without -n and -D it runs 100 messages; without --warmup it does not warm up, so that the file shows the test alone."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft capture write.pcapng -- perftest write-lat -n 10",
        "  ./weft capture big.pcapng -- perftest send-bw -s 1048576 -n 4 --mtu 4096",
        "  tshark -r write.pcapng -O infiniband"})
public final class CaptureCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "FILE",
      description = "the pcapng file to write; an existing one is replaced, once the rest of the command line is right")
  private Path file;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "-- perftest and its arguments")
  private List<String> command;

  @Override
  public Integer call() {
    List<String> words = command.get(0).equals("--") ? command.subList(1, command.size()) : command;
    if (words.isEmpty() || !words.get(0).equals("perftest")) {
      throw new ParameterException(spec.commandLine(), "only perftest can be captured: weft capture FILE -- perftest TEST ...");
    }
    PerftestCommand perftest = new PerftestCommand();
    CommandLine line = WeftCommand.configured(new CommandLine(perftest), spec.commandLine());
    CableTap[] opened = new CableTap[1];
    Thread onInterrupt = new Thread(() -> close(opened), "weft-capture-close");
    Runtime.getRuntime().addShutdownHook(onInterrupt);
    perftest.captureBy(() -> open(opened), file); // Not before its arguments were found right: what was in the file is gone then.
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

  /** Null if it has not been opened. */
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

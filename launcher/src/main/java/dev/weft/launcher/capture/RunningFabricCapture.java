package dev.weft.launcher.capture;

import com.typesafe.config.Config;
import dev.weft.fabric.capture.CaptureSettings;
import dev.weft.fabric.capture.Pcapng;
import dev.weft.launcher.http.CaptureClient;
import dev.weft.launcher.http.HttpAccess;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.CaptureKey;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs one {@code weft capture --jvm}: begins to capture all JVMs, then opens the file, and writes until the capture ends. */
final class RunningFabricCapture {
  static final String STDOUT = "-";

  private static final int BUFFER_BYTES = 256 << 10;
  private static final int HOOK_PATIENCE_S = 10;
  /** Interval of statistics without packets: only a write detects that the reader of a pipe has gone. */
  private static final long PIPE_QUIET_MAX_NS = TimeUnit.SECONDS.toNanos(1);

  private final Config config;
  private final Plan plan;
  private final PrintWriter err;
  private final List<BlockReader> readers = new ArrayList<>();
  private final List<String> broken = new CopyOnWriteArrayList<>();

  /** A JVM by the name that the user gave, with its URL and capture key. */
  record Jvm(String name, URI http, CaptureKey captureKey) {}

  /**
   * The user's request.
   *
   * @param jvms the JVMs to capture
   * @param jvmsHint text that names the existing JVMs, for the error about a JVM that does not answer
   * @param file name of the file; {@link #STDOUT} for standard output
   * @param packetsMax number of packets after which the capture ends
   * @param durationNs time after which the capture ends, in nanoseconds
   * @param sentOnly whether packets that arrive from other JVMs are left out
   */
  record Plan(List<Jvm> jvms, String jvmsHint, String file, long packetsMax, long durationNs, boolean sentOnly) {
    boolean toStdout() {
      return file.equals(STDOUT);
    }
  }

  RunningFabricCapture(Config config, Plan plan, PrintWriter err) {
    this.config = config;
    this.plan = plan;
    this.err = err;
  }

  /** Runs the capture and returns the exit code. */
  int run() throws InterruptedException {
    try (CaptureClient client = new CaptureClient(HttpAccess.from(config))) {
      List<byte[]> interfaces = new ArrayList<>();
      byte[] sectionHeader = null;
      for (Jvm jvm : plan.jvms()) {
        try {
          BlockReader reader = new BlockReader(client.open(jvm.http(), jvm.captureKey(), plan.sentOnly()));
          readers.add(reader);
          sectionHeader = reader.next(Pcapng.SECTION_HEADER);
          interfaces.add(reader.next(Pcapng.INTERFACE_DESCRIPTION));
        } catch (IOException e) {
          throw new CommandFailure("cannot capture " + jvm.name() + " over " + jvm.http() + ": " + e.getMessage()
              + (e.getCause() == null ? "" : plan.jvmsHint()), e);
        }
      }
      return writeAll(client, sectionHeader, interfaces);
    }
  }

  private int writeAll(CaptureClient client, byte[] sectionHeader, List<byte[]> interfaces) throws InterruptedException {
    boolean toPipe = plan.toStdout() && isStdoutPipe(); // Checked now, because a closed output is no longer a pipe.
    try (OutputStream out = open()) {
      PcapngMerge merge = new PcapngMerge(out, plan.packetsMax(), plan.toStdout() ? Long.MAX_VALUE : CaptureSettings.from(config).maxFileBytes(),
          plan.toStdout() ? PIPE_QUIET_MAX_NS : Long.MAX_VALUE);
      merge.begin(sectionHeader, interfaces);
      CountDownLatch done = new CountDownLatch(1);
      Thread onSignal = new Thread(() -> endAndWait(merge, done), "weft-capture-end");
      Runtime.getRuntime().addShutdownHook(onSignal);
      try {
        return write(client, merge);
      } finally {
        done.countDown();
        removeUnlessItRuns(onSignal);
      }
    } catch (IOException e) {
      if (toPipe) {
        err.println("weft: ended: the reader of standard output has closed it");
        return ExitCode.OK;
      }
      throw new CommandFailure("cannot write the capture to " + where() + ": " + e.getMessage(), e);
    }
  }

  private int write(CaptureClient client, PcapngMerge merge) throws InterruptedException, IOException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < readers.size(); i++) {
      int number = i;
      threads.add(Thread.ofPlatform().daemon().name("weft-capture-" + i).start(() -> read(merge, number)));
    }
    String reason = merge.awaitEnd(plan.durationNs());
    List<String> brokenBefore = List.copyOf(broken);
    client.close();
    for (Thread thread : threads) {
      thread.join();
    }
    merge.finish();
    report(merge, reason, brokenBefore);
    return brokenBefore.isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void read(PcapngMerge merge, int number) {
    String name = plan.jvms().get(number).name();
    BlockReader reader = readers.get(number);
    try {
      byte[] block = reader.next();
      while (block != null && merge.add(number, block, reader.hasMore())) {
        block = reader.next();
      }
    } catch (IOException e) {
      broken.add(name + ": " + e.getMessage());
    }
    merge.ended(number);
  }

  private OutputStream open() throws IOException {
    OutputStream to = plan.toStdout() ? new FileOutputStream(FileDescriptor.out) : new FileOutputStream(plan.file());
    return new BufferedOutputStream(to, BUFFER_BYTES);
  }

  private String where() {
    return plan.toStdout() ? "standard output" : plan.file();
  }

  private void report(PcapngMerge merge, String reason, List<String> brokenBefore) {
    err.println("weft: " + merge.packets() + " packets in " + where() + (reason.isEmpty() ? "" : "; " + reason));
    List<Long> dropped = merge.dropped();
    for (int i = 0; i < dropped.size(); i++) {
      if (dropped.get(i) > 0) {
        err.println("weft: " + plan.jvms().get(i).name() + " dropped " + dropped.get(i) + " more that came faster than this command read them"
            + "; if they came in bursts, raise weft.fabric.capture.queue-size of that JVM");
      }
    }
    brokenBefore.forEach(problem -> err.println("weft: the capture of " + problem + "; its packets until then are in "
        + where()));
    err.flush();
  }

  private static void endAndWait(PcapngMerge merge, CountDownLatch done) {
    merge.end("interrupted");
    try {
      if (!done.await(HOOK_PATIENCE_S, TimeUnit.SECONDS)) {
        System.err.println("weft: the capture did not end in order; its file is incomplete");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void removeUnlessItRuns(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyEnding) {
      // The hook already runs; it has waited for the end of this capture.
    }
  }

  /** Whether standard output is a pipe. Then a failed write means that the reader has gone; the error message depends on the language. */
  private static boolean isStdoutPipe() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString().startsWith("pipe:");
    } catch (IOException e) {
      return false;
    }
  }
}

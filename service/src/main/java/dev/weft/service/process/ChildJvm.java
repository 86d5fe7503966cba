package dev.weft.service.process;

import dev.weft.fabric.cluster.BackgroundProcess;
import dev.weft.fabric.files.PrivateFile;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM running the same {@code weft} with other arguments. */
public final class ChildJvm {
  /** How each command begins the line that says why it failed. */
  private static final String REASON = "weft: ";
  private static final int TAIL_BYTES = 1 << 16;

  private final String name;
  private final Process process;
  private final Path log;
  /** Where in the log its output begins. */
  private final long logStart;

  private ChildJvm(String name, Process process, Path log, long logStart) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.logStart = logStart;
  }

  /** Starts it with this JVM's options and class path; its output goes to {@code log}. Ctrl-C does not reach it. */
  public static ChildJvm start(String name, List<String> arguments, Path log) throws IOException {
    requirePassable(arguments);
    PrivateFile.open(log, StandardOpenOption.WRITE).close();
    long logStart = Files.size(log);
    Process process = BackgroundProcess.startJvm(ManagementFactory.getRuntimeMXBean().getInputArguments(), "dev.weft.launcher.Main",
        arguments, ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new ChildJvm(name, process, log, logStart);
  }

  /** The JVM would replace what it cannot encode, and the other one would take another name. */
  private static void requirePassable(List<String> arguments) {
    CharsetEncoder encoder = Charset.forName(System.getProperty("sun.jnu.encoding")).newEncoder();
    for (String argument : arguments) {
      if (!encoder.canEncode(argument)) {
        throw new CommandFailure(argument + ": another JVM cannot be given this argument, because it is not text in the encoding of the locale ("
            + encoder.charset() + "); use another name");
      }
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Whether it has ended with a failure, or was killed. */
  public boolean hasFailed() {
    return !process.isAlive() && process.exitValue() != 0;
  }

  /** What to tell somebody when it ended too early. */
  public String obituary() {
    return ending() + "; its log is " + log;
  }

  /** The same where its log does not outlive the job. */
  String ending() {
    return name + " (pid " + pid() + ") ended with exit code " + (process.isAlive() ? "none" : process.exitValue());
  }

  /** The same with the reason that it gave. */
  public String obituaryWithReason() {
    String reason;
    try {
      reason = reason();
    } catch (IOException unreadable) {
      reason = null; // The log is named.
    }
    return reason == null ? obituary() : name + " (pid " + pid() + ") ended: " + reason + "; its log is " + log;
  }

  /** The last line that it meant for the person who started it; null if there is none. */
  public String reason() throws IOException {
    String found = null;
    try (FileChannel channel = FileChannel.open(log, StandardOpenOption.READ)) {
      channel.position(Math.max(logStart, channel.size() - TAIL_BYTES));
      for (String line : new String(Channels.newInputStream(channel).readNBytes(TAIL_BYTES), StandardCharsets.UTF_8).lines().toList()) {
        if (line.startsWith(REASON)) {
          found = line.substring(REASON.length());
        }
      }
    }
    return found;
  }

  /** Calls {@code action} on another thread when it has ended, however it ended. */
  public void whenEnded(Runnable action) {
    process.onExit().thenRun(action);
  }

  /** Asks it to end, waits, and insists after {@code graceSeconds}. */
  public void stop(int graceSeconds) {
    process.destroy();
    try {
      if (!process.waitFor(graceSeconds, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}

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

/** A child process: another JVM that runs the same {@code weft} with other arguments. */
public final class ChildJvm {
  /** The prefix of the line in which a command says why it failed. */
  private static final String REASON = "weft: ";
  private static final int TAIL_BYTES = 1 << 16;

  private final String name;
  private final Process process;
  private final Path log;
  /** Offset in the log at which this process's output begins. */
  private final long logStart;

  private ChildJvm(String name, Process process, Path log, long logStart) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.logStart = logStart;
  }

  /** Starts the process with this JVM's options and class path and appends its output to {@code log}. Ctrl-C does not reach it. */
  public static ChildJvm start(String name, List<String> arguments, Path log) throws IOException {
    requirePassable(arguments);
    PrivateFile.open(log, StandardOpenOption.WRITE).close();
    long logStart = Files.size(log);
    Process process = BackgroundProcess.startJvm(ManagementFactory.getRuntimeMXBean().getInputArguments(), "dev.weft.launcher.Main",
        arguments, new byte[0], ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new ChildJvm(name, process, log, logStart);
  }

  /** Rejects arguments that the locale cannot encode. Otherwise this JVM would replace the characters, and the child would read another name. */
  private static void requirePassable(List<String> arguments) {
    CharsetEncoder encoder = Charset.forName(System.getProperty("sun.jnu.encoding")).newEncoder();
    for (String argument : arguments) {
      if (!encoder.canEncode(argument)) {
        throw new CommandFailure(argument + ": cannot pass this argument to another JVM, because it is not text in the encoding of the locale ("
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

  /** Whether the process has ended with a failure or was killed. */
  public boolean hasFailed() {
    return !process.isAlive() && process.exitValue() != 0;
  }

  /** Returns a message for a process that ended too early: its exit code and its log. */
  public String obituary() {
    return ending() + "; its log is " + log;
  }

  /** Like {@link #obituary}, but without the log: for a job that deletes its logs. */
  String ending() {
    return name + " (pid " + pid() + ") ended with exit code " + (process.isAlive() ? "none" : process.exitValue());
  }

  /** Like {@link #obituary}, with the process's own {@link #reason} instead of the exit code if it has one. */
  public String obituaryWithReason() {
    String reason;
    try {
      reason = reason();
    } catch (IOException unreadable) {
      reason = null; // The message names the log.
    }
    return reason == null ? obituary() : name + " (pid " + pid() + ") ended: " + reason + "; its log is " + log;
  }

  /** Returns the last error line that the process wrote for its user, without the prefix; null if there is none. */
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

  /** Calls {@code action} on another thread when the process has ended for any reason. */
  public void whenEnded(Runnable action) {
    process.onExit().thenRun(action);
  }

  /** Asks the process to end (SIGTERM) and waits; kills it after {@code graceSeconds}. */
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

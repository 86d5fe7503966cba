package dev.weft.launcher.cluster;

import dev.weft.fabric.cluster.BackgroundProcess;
import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM running the same {@code weft} with other arguments. */
public final class ChildJvm {
  private final String name;
  private final Process process;
  private final Path log;

  private ChildJvm(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /** Starts it with this JVM's options and class path; its output goes to {@code log}. Ctrl-C does not reach it. */
  public static ChildJvm start(String name, List<String> arguments, Path log) throws IOException {
    PrivateFile.open(log, StandardOpenOption.WRITE).close();
    Process process = BackgroundProcess.startJvm(ManagementFactory.getRuntimeMXBean().getInputArguments(), "dev.weft.launcher.Main",
        arguments, ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new ChildJvm(name, process, log);
  }

  long pid() {
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
    return name + " (pid " + pid() + ") ended with exit code " + (process.isAlive() ? "none" : process.exitValue())
        + "; its log is " + log;
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

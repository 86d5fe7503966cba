package dev.weft.fabric.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts processes that ignore the terminal: only the process that started them ends them. */
public final class BackgroundProcess {
  private BackgroundProcess() {}

  /**
   * Starts a JVM with the Java and class path of this JVM. It ignores the terminal.
   *
   * @param options options of the JVM
   * @param input what it reads from its standard input, at most a few KiB
   * @param output target of its output and errors
   */
  public static Process startJvm(List<String> options, String mainClass, List<String> arguments, byte[] input, ProcessBuilder.Redirect output)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
    command.addAll(arguments);
    Process process = new ProcessBuilder(command(command)).redirectErrorStream(true).redirectOutput(output).start();
    try (OutputStream to = process.getOutputStream()) {
      to.write(input);
    } catch (IOException ended) {
      process.destroyForcibly();
      throw ended;
    }
    return process;
  }

  /**
   * Wraps a command so that it ignores SIGINT and SIGHUP, makes files that only its user can access, and runs in a session of its own if the
   * host has setsid(1). Terminals, shells and timeout(1) send signals to all processes of a group. Without this, a media driver would end with
   * the JVM that started it, and JVMs that are leaving the fabric in an orderly way would lose their trunks. The process id is that of the
   * command itself.
   */
  public static List<String> command(List<String> command) {
    List<String> all = new ArrayList<>(List.of("/bin/sh", "-c",
        "umask 077; trap '' INT HUP; if [ -n \"$(command -v setsid)\" ]; then exec setsid \"$@\"; fi; exec \"$@\"", "sh"));
    all.addAll(command);
    return all;
  }
}

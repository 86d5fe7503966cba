package dev.weft.fabric.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes that are ended by the process that started them and by nobody at the keyboard. */
public final class BackgroundProcess {
  private BackgroundProcess() {}

  /**
   * Starts a JVM with this one's Java and class path, deaf to the terminal; it reads nothing.
   *
   * @param options of the JVM
   * @param output where its output and its errors go
   */
  public static Process startJvm(List<String> options, String mainClass, List<String> arguments, ProcessBuilder.Redirect output)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
    command.addAll(arguments);
    return new ProcessBuilder(command(command))
        .redirectInput(new File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(output)
        .start();
  }

  /**
   * The same command in a session of its own where the host has setsid(1), deaf to SIGINT and SIGHUP, and with files that are its user's
   * alone. Terminals, shells and timeout(1) send signals to all processes of a group: a media driver that ended with the JVM that
   * started it would take the trunks from JVMs that are about to leave the fabric in an orderly way. The process id is the command's own.
   */
  public static List<String> command(List<String> command) {
    List<String> all = new ArrayList<>(List.of("/bin/sh", "-c",
        "umask 077; trap '' INT HUP; if [ -n \"$(command -v setsid)\" ]; then exec setsid \"$@\"; fi; exec \"$@\"", "sh"));
    all.addAll(command);
    return all;
  }
}

package dev.weft.fabric.cluster;

import java.util.ArrayList;
import java.util.List;

/** Commands of processes that are ended by the process that started them and by nobody at the keyboard. */
public final class BackgroundProcess {
  private BackgroundProcess() {}

  /**
   * The same command, deaf to SIGINT and SIGHUP. A terminal sends these to all processes of a group: a media driver that ended on
   * Ctrl-C would take the trunks from JVMs that are about to leave the fabric in an orderly way. The process id is the command's own.
   */
  public static List<String> command(List<String> command) {
    List<String> all = new ArrayList<>(List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
    all.addAll(command);
    return all;
  }
}

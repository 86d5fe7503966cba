package dev.weft.launcher.cluster;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Node names of JVMs that join: {@code joined-PID-KIBk}, or {@code joined-ADDRESS-PID-KIBk} where processes of several hosts may have the
 * same id. The name tells the rest of the fabric how much memory is offered, before anybody
 * has connected.
 */
final class JoinedName {
  private static final Pattern FORM = Pattern.compile("joined-(?:[0-9.]+-)?[0-9]+-([0-9]{1,12})k");

  private JoinedName() {}

  static String of(HostAddress host, long pid, long memoryBytes) {
    return "joined-" + (host.host().equals(HostAddress.DEFAULT) ? "" : host.host() + "-") + pid + "-" + (memoryBytes >> 10) + "k";
  }

  static boolean isOne(String node) {
    return FORM.matcher(node).matches();
  }

  static long memoryBytes(String node) {
    Matcher matcher = FORM.matcher(node);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(node + " is not the name of a node that joined");
    }
    return Long.parseLong(matcher.group(1)) << 10;
  }
}

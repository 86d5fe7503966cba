package dev.weft.launcher.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.launcher.http.StatusReport.JvmReport;
import dev.weft.launcher.http.StatusReport.MemberReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Merges the views of several JVMs into one cluster: for each member, the worst status that any JVM reports counts. */
final class MemberMerge {
  /** Statuses from good to bad. */
  private static final List<String> BADNESS =
      List.of("Up", "WeaklyUp", "Joining", "PreparingForShutdown", "ReadyForShutdown", "Leaving", "Exiting", "Down");

  private final String address;
  private final List<String> unreachableFrom = new ArrayList<>();
  private List<String> roles = List.of();
  private String status = "Removed";
  private int seenBy;

  private MemberMerge(String address) {
    this.address = address;
  }

  static List<MemberReport> of(List<JvmReport> jvms) {
    Map<String, MemberMerge> byAddress = new TreeMap<>();
    for (JvmReport jvm : jvms) {
      if (jvm.reachable()) {
        JsonNode cluster = jvm.status().path("cluster");
        String seer = jvm.status().path("jvm").path("name").asText();
        cluster.path("members").forEach(member ->
            byAddress.computeIfAbsent(member.path("address").asText(), MemberMerge::new).seen(member, seer));
        // A JVM that was removed here may have come back, or may still be a member for another JVM; then that status counts.
        cluster.path("removed").forEach(member ->
            byAddress.computeIfAbsent(member.path("address").asText(), MemberMerge::new));
      }
    }
    return byAddress.values().stream().map(MemberMerge::report).toList();
  }

  private void seen(JsonNode member, String seer) {
    String said = member.path("status").asText();
    if (seenBy == 0 || BADNESS.indexOf(said) > BADNESS.indexOf(status)) {
      status = said;
    }
    seenBy++;
    List<String> names = new ArrayList<>();
    member.path("roles").forEach(role -> names.add(role.asText()));
    roles = names;
    if (member.path("unreachable").asBoolean()) {
      unreachableFrom.add(seer);
    }
  }

  private MemberReport report() {
    boolean unheard = !unreachableFrom.isEmpty() && !status.equals("Down");
    return new MemberReport(address, unheard ? "Unreachable" : status, roles, seenBy, List.copyOf(unreachableFrom));
  }
}

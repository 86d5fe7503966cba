package dev.weft.dsm.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.dsm.SharingUnit;
import dev.weft.service.StatusTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A {@link TopSpace} as text for users. */
final class TopText {
  private static final int ROWS_MAX = 20;

  private final StringBuilder text = new StringBuilder();

  private TopText() {}

  static String of(TopSpace space) {
    TopText out = new TopText();
    out.head(space);
    out.arrays(space.arrays());
    out.worst(space.worst());
    out.falseSharing(space);
    out.waiting(space);
    return out.text.toString();
  }

  private void line(String line) {
    text.append(line).append('\n');
  }

  private void head(TopSpace space) {
    Set<Integer> members = new TreeSet<>();
    long writable = 0;
    long readable = 0;
    long lost = 0;
    for (var node : space.nodes()) {
      ((JsonNode) node.get("members")).forEach(member -> members.add(member.asInt()));
      JsonNode states = (JsonNode) node.get("minipages");
      writable += states.path("writable").asLong();
      readable += states.path("readable").asLong();
      lost += states.path("lost").asLong();
    }
    line("Shared memory \"" + space.name() + "\": nodes " + members + ", " + space.arrays().size() + " arrays; minipages: " + writable + " writable, "
        + readable + " readable, " + lost + " lost");
  }

  private void table(List<String> heads, List<List<String>> rows) {
    int[] widths = new int[heads.size()];
    List<List<String>> all = new ArrayList<>();
    all.add(heads.stream().map(head -> head.replace(">", "")).toList());
    all.addAll(rows);
    all.forEach(row -> {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    });
    for (List<String> row : all) {
      StringBuilder one = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String blanks = " ".repeat(widths[i] - row.get(i).length());
        one.append(i == 0 ? "" : "  ").append(heads.get(i).startsWith(">") ? blanks + row.get(i) : row.get(i) + blanks);
      }
      line(one.toString().stripTrailing());
    }
  }

  private void arrays(List<TopSpace.ArrayRow> arrays) {
    if (arrays.isEmpty()) {
      return;
    }
    line("");
    table(List.of("ARRAY", ">UNIT", ">READ FAULTS", ">WRITE FAULTS", ">INVALIDATIONS", ">PING-PONGS", ">MOVED", ">FALSE", "MADE AT"),
        arrays.stream().limit(ROWS_MAX).map(array -> List.of(array.name(), StatusTable.bytes(array.strideBytes()), "" + array.readFaults(),
            "" + array.writeFaults(), "" + array.invalidations(), "" + array.pingPongs(), StatusTable.bytes(array.bytesMoved()),
            "" + array.falselyShared(), array.site())).toList());
  }

  private void worst(List<JsonNode> worst) {
    if (worst.isEmpty()) {
      return;
    }
    line("");
    table(List.of("WORST MINIPAGES", ">NUMBER", "ELEMENTS", ">FAULTS", ">INVALIDATIONS", ">PING-PONGS", "SHARING", "LAST TAKEN"),
        worst.stream().limit(ROWS_MAX).map(page -> List.of(page.path("array").asText(), page.path("index").asText(),
            page.path("firstElement").asText() + " to " + page.path("lastElement").asText(),
            "" + (page.path("readFaults").asLong() + page.path("writeFaults").asLong()), page.path("invalidations").asText(),
            page.path("pingPongs").asText(), sharing(page), recent(page))).toList());
  }

  private static String sharing(JsonNode page) {
    String sharing = page.path("sharing").asText();
    return sharing.equals("none") ? "" : sharing;
  }

  private static String recent(JsonNode page) {
    List<String> pairs = new ArrayList<>();
    page.path("recent").forEach(pair -> pairs.add(pair.path("by").asText() + " from " + pair.path("from").asText()));
    return String.join(", ", pairs);
  }

  private void falseSharing(TopSpace space) {
    for (TopSpace.ArrayRow array : space.arrays()) {
      if (array.falselyShared() == 0) {
        continue;
      }
      line("");
      line("False sharing: \"" + array.name() + "\", made at " + (array.site().isEmpty() ? "an unknown place" : array.site()) + ": in "
          + array.falselyShared() + " of its minipages of " + array.strideBytes() + " bytes, nodes want different words.");
      space.worst().stream().filter(page -> page.path("array").asText().equals(array.name()) && page.path("sharing").asText().equals("false")).findFirst()
          .ifPresent(page -> line("  In minipage " + page.path("index").asText() + " " + nodes(page) + "."));
      line(array.unit() > 0 ? "  " + unit(array.unit()) + " would keep them apart." : "  No smaller sharing unit is known that would keep them apart.");
    }
  }

  private static String nodes(JsonNode page) {
    List<String> nodes = new ArrayList<>();
    page.path("nodes").forEach(node -> nodes.add("node " + node.path("node").asText() + (node.path("writes").asBoolean() ? " writes " : " reads ")
        + node.path("firstElement").asText() + " to " + node.path("lastElement").asText()));
    return nodes.stream().collect(Collectors.joining(", "));
  }

  private static String unit(long bytes) {
    return bytes % SharingUnit.PAGE_BYTES == 0 ? "SharingUnit.pages(" + bytes / SharingUnit.PAGE_BYTES + ")" : "SharingUnit.bytes(" + bytes + ")";
  }

  private void waiting(TopSpace space) {
    List<String> lines = new ArrayList<>();
    for (JsonNode fault : space.faults()) {
      lines.add(fault.path("threads").asText() + " threads wait " + fault.path("ageMs").asText() + " ms to " + fault.path("wants").asText() + " "
          + fault.path("what").asText());
    }
    for (JsonNode lock : space.locks()) {
      boolean isHome = lock.path("isHome").asBoolean();
      if (isHome && !lock.path("waitingNodes").isEmpty()) {
        lines.add("lock \"" + lock.path("name").asText() + "\": node " + lock.path("holder").asText() + " has it, nodes " + lock.path("waitingNodes")
            + " wait" + (lock.path("waitingHere").asInt() > 0 ? ", the home's own thread for " + lock.path("waitMs").asText() + " ms" : ""));
      } else if (!isHome && lock.path("waitingHere").asInt() > 0) {
        lines.add("lock \"" + lock.path("name").asText() + "\": " + lock.path("waitingHere").asText() + " threads wait, the first for "
            + lock.path("waitMs").asText() + " ms");
      }
    }
    for (JsonNode barrier : space.barriers()) {
      if (barrier.path("isHome").asBoolean() && barrier.path("here").asLong() > 0) {
        lines.add("barrier \"" + barrier.path("name").asText() + "\", round " + (barrier.path("rounds").asLong() + 1) + ": " + barrier.path("here").asText()
            + " of " + barrier.path("parties").asText() + " threads are there" + missing(barrier));
      }
    }
    if (!lines.isEmpty()) {
      line("");
      line("Waiting");
      lines.stream().limit(ROWS_MAX).forEach(one -> line("  " + one));
    }
  }

  private static String missing(JsonNode barrier) {
    List<String> nodes = new ArrayList<>();
    barrier.path("missing").forEach(one -> nodes.add(one.path("threads").asText() + " of node " + one.path("node").asText()));
    return nodes.isEmpty() ? "" : "; as the round before, " + String.join(", ", nodes) + " should come";
  }
}

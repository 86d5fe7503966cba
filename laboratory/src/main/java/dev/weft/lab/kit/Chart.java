package dev.weft.lab.kit;

import dev.weft.fabric.link.LinkObserver;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * A message sequence chart as text: each packet when it arrives, or when a fault takes it, and the actions of clients and faults in between. Bounded:
 * keeps the last {@value #LINES_MAX} lines.
 */
public final class Chart {
  private static final int LINES_MAX = 200_000;

  private record Line(long timeNs, String from, String to, Packet packet, LinkObserver.Fate fate, long sentNs, String note) {}

  private final List<Line> lines = new ArrayList<>();
  private final IntFunction<String> nodeOfLid;

  /** {@code nodeOfLid} names the node of a LID. */
  public Chart(IntFunction<String> nodeOfLid) {
    this.nodeOfLid = nodeOfLid;
  }

  /** Adds an event that is not a packet. */
  public void note(long timeNs, String text) {
    add(new Line(timeNs, null, null, null, null, timeNs, text));
  }

  /** Adds a packet on the cable of a node; the first half of its way appears only if a fault hit it there. */
  public void packet(boolean fromNode, Packet packet, LinkObserver.Fate fate, long nowNs, long arrivalNs) {
    if (fromNode && fate == LinkObserver.Fate.DELIVERED) {
      return;
    }
    String from = nodeOfLid.apply(packet.srcLid());
    String to = fromNode ? "switch" : nodeOfLid.apply(packet.dstLid());
    add(new Line(fate.arrives() ? arrivalNs : nowNs, from, to, packet, fate, nowNs, null));
  }

  private void add(Line line) {
    if (lines.size() >= LINES_MAX) {
      lines.subList(0, LINES_MAX / 4).clear();
    }
    lines.add(line);
  }

  /** The last {@code count} lines up to a moment, and a few lines after it. */
  public String text(long untilNs, int count) {
    List<Line> sorted = new ArrayList<>(lines);
    sorted.sort(Comparator.comparingLong(Line::timeNs));
    int end = 0;
    while (end < sorted.size() && sorted.get(end).timeNs <= untilNs) {
      end++;
    }
    int from = Math.max(0, end - count);
    StringBuilder text = new StringBuilder();
    text.append("      time (us)  from -> to          packet\n");
    if (from > 0) {
      text.append("  ... ").append(from).append(" lines before\n");
    }
    for (Line line : sorted.subList(from, Math.min(sorted.size(), end + 5))) {
      text.append(format(line)).append('\n');
    }
    return text.toString();
  }

  private static String format(Line line) {
    String time = String.format(Locale.ROOT, "%15.3f  ", line.timeNs / 1000.0);
    if (line.packet == null) {
      return time + "* " + line.note;
    }
    String way = String.format(Locale.ROOT, "%-6s -> %-8s ", line.from, line.to);
    Packet p = line.packet;
    String what = String.format(Locale.ROOT, "%-28s qp %d psn %d", Opcode.name(p.opcode()), p.destQp(), p.psn())
        + (Opcode.hasAeth(p.opcode()) ? String.format(Locale.ROOT, " syndrome 0x%02x msn %d", p.syndrome(), p.msn()) : "")
        + (p.payload().length() > 0 ? " " + p.payload().length() + " bytes" : "");
    return time + way + what + fate(line);
  }

  private static String fate(Line line) {
    return switch (line.fate) {
      case DELIVERED -> "";
      case DELAYED -> "   << reordered: sent at " + String.format(Locale.ROOT, "%.3f", line.sentNs / 1000.0);
      case DUPLICATE -> "   << duplicate";
      case ALTERED -> "   << corrupted and let through";
      case LOST -> "   << lost";
      case CORRUPTED -> "   << corrupted and rejected";
      case CUT -> "   << cut off";
    };
  }
}

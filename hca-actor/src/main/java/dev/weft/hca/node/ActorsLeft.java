package dev.weft.hca.node;

import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import java.util.List;

/** Lists the actors that keep an actor system from ending, so that the log shows which actors it waits for. Any thread. */
final class ActorsLeft {
  /** Akka alone has about forty actors, including those of Artery's streams. */
  private static final int LINES_MAX = 120;

  private static final int LINE_CHARS_MAX = 200;

  private ActorsLeft() {}

  /** Returns one line for each actor, indented below its parent: its class, the state of its mailbox and the actors whose end it waits for. */
  static String of(ActorSystem<?> system) {
    return bounded(((ExtendedActorSystem) Adapter.toClassic(system)).printTree());
  }

  /** Shortens long lines, and replaces the lines beyond the limit by their number. */
  static String bounded(String tree) {
    List<String> lines = tree.lines().toList();
    StringBuilder text = new StringBuilder();
    for (String line : lines.subList(0, Math.min(LINES_MAX, lines.size()))) {
      text.append('\n').append(line, 0, Math.min(LINE_CHARS_MAX, line.length()));
    }
    if (lines.size() > LINES_MAX) {
      text.append("\n... and ").append(lines.size() - LINES_MAX).append(" lines more");
    }
    return text.toString();
  }
}

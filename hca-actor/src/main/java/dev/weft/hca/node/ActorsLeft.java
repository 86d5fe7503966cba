package dev.weft.hca.node;

import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import java.util.List;

/** Names the actors that an actor system which does not end still has, so that a log tells who it waits for. Any thread. */
final class ActorsLeft {
  /** Those of Akka alone, that of Artery's streams included, are about forty. */
  private static final int LINES_MAX = 120;

  private static final int LINE_CHARS_MAX = 200;

  private ActorsLeft() {}

  /** One line for each actor, indented below its parent, with the class, the state of its mailbox and whose end it waits for. */
  static String of(ActorSystem<?> system) {
    return bounded(((ExtendedActorSystem) Adapter.toClassic(system)).printTree());
  }

  /** Long lines are cut, lines beyond a limit are only counted. */
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

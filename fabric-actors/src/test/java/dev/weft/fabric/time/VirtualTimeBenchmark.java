package dev.weft.fabric.time;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import java.util.ArrayList;
import java.util.List;

/** Measures mailbox steps per second and the cost of creating and closing a system. A main; nothing is asserted. */
final class VirtualTimeBenchmark {
  record Token(ActorRef<Token> from) {}

  private VirtualTimeBenchmark() {}

  /** Runs a few rounds and prints each. */
  public static void main(String[] args) {
    for (int round = 0; round < 4; round++) {
      steps(2);
      steps(64);
      creation(200);
    }
  }

  private static void steps(int actors) {
    try (VirtualSystem virtual = VirtualSystem.create(1)) {
      List<ActorRef<Token>> all = new ArrayList<>();
      for (int i = 0; i < actors; i++) {
        all.add(virtual.spawn(echo(), "echo-" + i));
      }
      for (int i = 0; i < actors; i += 2) {
        all.get(i).tell(new Token(all.get(i + 1)));
      }
      long target = virtual.eventsRun() + 1_000_000;
      long startNs = System.nanoTime();
      virtual.runUntil(() -> virtual.eventsRun() >= target, 1);
      long ns = System.nanoTime() - startNs;
      System.out.printf("%d actors: %.0f k steps/s%n", actors, 1e9 / ns * 1000);
    }
  }

  private static Behavior<Token> echo() {
    return Behaviors.setup(
        context ->
            Behaviors.receiveMessage(
                token -> {
                  token.from.tell(new Token(context.getSelf()));
                  return Behaviors.same();
                }));
  }

  private static void creation(int systems) {
    long startNs = System.nanoTime();
    for (int i = 0; i < systems; i++) {
      VirtualSystem.create(i).close();
    }
    System.out.printf("create + close: %.2f ms%n", (System.nanoTime() - startNs) / 1e6 / systems);
  }
}

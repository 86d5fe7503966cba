package dev.weft.fabric.time;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A workload that provokes the known leaks of determinism: many actors that talk at the same nanosecond, Akka's own
 * timers, watchers of a dying actor, children, randomness. Also a main, for running it in a second JVM.
 */
final class VirtualWorkload {
  sealed interface Message {}

  record Hop(int left, ActorRef<Message> back) implements Message {}

  record Tick() implements Message {}

  record Die() implements Message {}

  private VirtualWorkload() {}

  /** Runs the workload and returns its trace hash. */
  static long run(long seed) {
    try (VirtualSystem virtual = VirtualSystem.create(seed)) {
      virtual.spawn(root(virtual), "root");
      virtual.runFor(50_000_000);
      return virtual.traceHash();
    }
  }

  /** Arguments: first seed, number of seeds. Prints one trace hash per line. */
  public static void main(String[] args) {
    long first = Long.parseLong(args[0]);
    for (long seed = first; seed < first + Long.parseLong(args[1]); seed++) {
      System.out.println(Long.toHexString(run(seed)));
    }
  }

  private static Behavior<Message> root(VirtualSystem virtual) {
    return Behaviors.setup(
        context -> {
          ActorRef<Message> victim =
              context.spawn(victim(), "victim", DispatcherSelector.fromConfig("weft.hardware-dispatcher"));
          List<ActorRef<Message>> workers = new ArrayList<>();
          for (int i = 0; i < 8; i++) {
            workers.add(context.spawn(worker(virtual, i, victim), "worker-" + i));
          }
          for (int i = 0; i < workers.size(); i++) {
            workers.get(i).tell(new Hop(20, workers.get((i + 3) % workers.size())));
          }
          virtual.timers().at(20_000_000, victim, new Die());
          return Behaviors.empty();
        });
  }

  private static Behavior<Message> victim() {
    return Behaviors.receive(Message.class).onMessage(Die.class, die -> Behaviors.stopped()).build();
  }

  private static Behavior<Message> worker(VirtualSystem virtual, int id, ActorRef<Message> victim) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  context.watch(victim);
                  timers.startTimerAtFixedRate(new Tick(), Duration.ofMillis(3));
                  return Behaviors.receive(Message.class)
                      .onMessage(Hop.class, hop -> onHop(virtual, context, hop, id))
                      .onMessage(Tick.class, tick -> onTick(virtual, context, id))
                      .onSignal(Terminated.class, dead -> onDeath(virtual, context, id))
                      .build();
                }));
  }

  private static Behavior<Message> onHop(VirtualSystem virtual, ActorContext<Message> context, Hop hop, int id) {
    virtual.traceNote(id);
    if (hop.left > 0) {
      ActorRef<Message> next = hop.back;
      if (virtual.random().nextInt(4) == 0) {
        virtual.timers().at(virtual.nowNs() + virtual.random().nextInt(1000), next, new Hop(hop.left - 1, context.getSelf()));
      } else {
        next.tell(new Hop(hop.left - 1, context.getSelf()));
      }
    }
    return Behaviors.same();
  }

  private static Behavior<Message> onTick(VirtualSystem virtual, ActorContext<Message> context, int id) {
    virtual.traceNote(100 + id);
    context.spawnAnonymous(Behaviors.setup(child -> Behaviors.stopped()));
    return Behaviors.same();
  }

  private static Behavior<Message> onDeath(VirtualSystem virtual, ActorContext<Message> context, int id) {
    virtual.traceNote(200 + id);
    return Behaviors.same();
  }
}

package dev.weft.lab.kit;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.node.VirtualFabric;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * The surroundings of a run of roles on a fabric: an optional chart, a watch dog, questions to actors, and an end that works even if actors have
 * failed.
 */
public final class Stage {
  /** More than any actor needs to report its state. */
  private static final long ANSWER_NS = 1_000_000_000L;

  private final VirtualFabric fabric;
  private final VirtualSystem system;
  private final Violations violations;
  /** Null without a chart. */
  private final Chart chart;
  private final ActorRef<WatchDog.Watch> watchDog;
  private int probes;
  private boolean isOver;

  /** A stage for a fabric; {@code nodeOfLid} returns the name of the node of a LID, for the chart. */
  public Stage(VirtualFabric fabric, Violations violations, boolean charted, IntFunction<String> nodeOfLid) {
    this.fabric = fabric;
    this.system = fabric.system();
    this.violations = violations;
    this.chart = charted ? new Chart(nodeOfLid) : null;
    this.watchDog = system.spawn(WatchDog.create(path -> {
      if (!isOver) {
        violations.add("actor " + path + " stopped by itself: it failed");
      }
    }), "watch-dog");
  }

  /** Whether {@link #note} has an effect. */
  public boolean isCharted() {
    return chart != null;
  }

  /** Null without a chart. */
  public Chart chart() {
    return chart;
  }

  /** Draws the packets on the cable of a node. */
  public void drawCable(String node) {
    if (chart != null) {
      fabric.link(node).observe((fromNode, packet, fate, arrivalNs) -> chart.packet(fromNode, packet, fate, system.nowNs(), arrivalNs));
    }
  }

  public void note(String text) {
    if (chart != null) {
      chart.note(system.nowNs(), text);
    }
  }

  /** The chart up to the first violation, or to the end. */
  public String chartText(int lines) {
    return chart.text(violations.isEmpty() ? system.nowNs() : violations.firstNs(), lines);
  }

  /** Adds a violation if the actor stops while {@code mayStop} is false. */
  public void watch(ActorRef<?> actor, BooleanSupplier mayStop) {
    watchDog.tell(new WatchDog.Watch(actor, mayStop));
  }

  /** Asks an actor for its state, and runs until it has answered; returns null if it does not answer. */
  public <T> T ask(Consumer<ActorRef<T>> question) {
    List<T> answers = new ArrayList<>();
    ActorRef<T> probe = system.spawn(Behaviors.receiveMessage(answer -> {
      answers.add(answer);
      return Behaviors.stopped();
    }), "probe" + probes++);
    question.accept(probe);
    system.runUntil(() -> !answers.isEmpty(), ANSWER_NS);
    return answers.isEmpty() ? null : answers.getFirst();
  }

  public boolean isOver() {
    return isOver;
  }

  /** As {@link #close(VirtualFabric, boolean, Runnable)}; actors may stop from now on. */
  public void close(boolean isBroken, Runnable before) {
    isOver = true;
    close(fabric, isBroken, before);
  }

  /**
   * Closes a fabric.
   *
   * @param isBroken whether a failure of the run is known: a system with a failed actor reports it once more
   * @param before runs first
   */
  public static void close(VirtualFabric fabric, boolean isBroken, Runnable before) {
    fabric.system().failOnActorFailure(false);
    try {
      before.run();
      fabric.close();
    } catch (IllegalStateException e) {
      if (!isBroken) {
        throw e;
      }
    }
  }
}

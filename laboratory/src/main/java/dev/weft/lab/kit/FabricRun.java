package dev.weft.lab.kit;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import dev.weft.fabric.link.LinkCounts;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The run of one seed on a virtual fabric under faults: an optional chart, a watch dog, questions to actors, and an end that works even if actors have
 * failed. Subclasses build the roles, call {@link #follow} with the plan of faults, and do the rest in {@link #live} and {@link #result()}.
 */
public abstract class FabricRun implements FaultDriver.Target, SeededSimulation.Run {
  /** More than any actor needs to report its state. */
  private static final long ANSWER_NS = 1_000_000_000L;

  protected final VirtualFabric fabric;
  protected final VirtualSystem system;
  private final Violations violations;
  private final long seed;
  /** Null without a chart. */
  private final Chart chart;
  private final Map<Integer, Node> nodeOfLid = new HashMap<>();
  private FaultDriver driver;
  private ActorRef<WatchDog.Watch> watchDog;
  private LinkCounts links = new LinkCounts(0, 0, 0, 0, 0, 0, 0, 0);
  private int probes;
  private boolean isClosed;
  private boolean isBroken;

  protected FabricRun(long seed, LinkProfile profile, Config settings, boolean charted) {
    this.seed = seed;
    fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, settings);
    system = fabric.system();
    violations = new Violations(system::nowNs);
    chart = charted ? new Chart(lid -> nodeOfLid.containsKey(lid) ? nodeOfLid.get(lid).name() : "lid " + lid) : null;
  }

  // Setting up.

  /** From now on, an actor that stops by itself is a violation: see {@link #watch}. */
  protected final void startWatchDog() {
    watchDog = system.spawn(WatchDog.create(path -> {
      if (!isClosed) {
        violations.add("actor " + path + " stopped by itself: it failed");
      }
    }), "watch-dog");
  }

  /** Adds a node whose packets the chart shows. */
  protected final Node addNode(String name) {
    Node node = fabric.addNode(name);
    nodeOfLid.put(node.hca().lid(), node);
    observe(name);
    return node;
  }

  /** Observes the cable of a node: draws its packets. */
  protected void observe(String node) {
    if (chart != null) {
      fabric.link(node).observe((fromNode, packet, fate, arrivalNs) -> chart.packet(fromNode, packet, fate, system.nowNs(), arrivalNs));
    }
  }

  /** The faults of a plan will happen to the first {@code nodes} nodes, all of which the fabric has. */
  protected final void follow(FaultPlan plan, int nodes) {
    driver = new FaultDriver(this, plan, fabric, nodes);
  }

  /** The node that has a LID; null if none has it. */
  protected final Node nodeAt(int lid) {
    return nodeOfLid.get(lid);
  }

  /** A node is gone, and its LID may go to another one. */
  protected final void forget(Node node) {
    nodeOfLid.values().remove(node);
  }

  // The course of a run.

  /** Runs the roles through all faults and checks the final state. */
  protected abstract void live();

  protected abstract Result result();

  @Override
  public final Result execute() {
    try {
      live();
    } catch (RuntimeException e) {
      isBroken = true;
      violations.add("the run ended with " + e);
    }
    return result();
  }

  protected final FaultDriver driver() {
    return driver;
  }

  /** Runs through all faults, and ends those of cables. */
  protected final void runFaults() {
    driver.run();
    driver.stopCables();
  }

  /** Counts the packets on the cable of a node that ends. */
  protected final void collectLink(String node) {
    links = links.plus(fabric.link(node).countsFromA()).plus(fabric.link(node).countsFromB());
  }

  /** The counts of a node's HCA, which become part of the trace. */
  protected final RecoveryMarks traced(Node node) {
    var counters = node.hca().inspect().counters();
    system.traceNote(counters.hashCode());
    return RecoveryMarks.of(counters);
  }

  /** Faults of nodes, by name. */
  protected Map<String, Integer> faultCounts() {
    return Names.of(driver.counts());
  }

  protected final Result result(Map<String, Integer> operations, RecoveryMarks marks, int undecided, String shape) {
    return new Result(seed, system.traceHash(), system.nowNs(), system.eventsRun(), links, faultCounts(), operations, marks.counts(), undecided, shape,
        violations.texts(), violations.firstNs());
  }

  // Called by the faults.

  @Override
  public boolean isDecided() {
    return !violations.isEmpty();
  }

  @Override
  public void begin(Fault fault, long endNs) {
    note(fault.kind().option() + " of " + nodeName(fault.node()) + " begins: " + fault);
  }

  @Override
  public void end(Fault fault) {
    note(fault.kind().option() + " of " + nodeName(fault.node()) + " ends");
  }

  @Override
  public void tell(Fault fault) {
    lose(nodeName(fault.node()));
  }

  /** The other nodes learn that a node is gone. */
  protected final void lose(String name) {
    note("everybody learns that " + name + " is gone");
    fabric.loseNode(name);
  }

  // Called by the parts of the run.

  public final Violations violations() {
    return violations;
  }

  public final long nowNs() {
    return system.nowNs();
  }

  /** Null without a chart. */
  public final Chart chart() {
    return chart;
  }

  /** Whether {@link #note(String)} has an effect. */
  public final boolean isCharted() {
    return chart != null;
  }

  public final void note(String text) {
    if (chart != null) {
      chart.note(system.nowNs(), text);
    }
  }

  /** The chart up to the first violation, or to the end. */
  @Override
  public final String chartText(int lines) {
    return chart.text(violations.isEmpty() ? system.nowNs() : violations.firstNs(), lines);
  }

  /** Adds a violation if the actor stops while {@code mayStop} is false. */
  public final void watch(ActorRef<?> actor, BooleanSupplier mayStop) {
    watchDog.tell(new WatchDog.Watch(actor, mayStop));
  }

  /** Asks an actor for its state, and runs until it has answered; returns null if it does not answer. */
  public final <T> T ask(Consumer<ActorRef<T>> question) {
    List<T> answers = new ArrayList<>();
    ActorRef<T> probe = system.spawn(Behaviors.receiveMessage(answer -> {
      answers.add(answer);
      return Behaviors.stopped();
    }), "probe" + probes++);
    question.accept(probe);
    system.runUntil(() -> !answers.isEmpty(), ANSWER_NS);
    return answers.isEmpty() ? null : answers.getFirst();
  }

  // The end.

  /** Whether actors may stop. */
  protected final boolean isClosed() {
    return isClosed;
  }

  /** Ends what runs beside the fabric's actors. */
  protected void endThreads() {}

  /** Closes the fabric. If a failure of the run is known, a system with a failed actor reports it once more, which says nothing new. */
  @Override
  public final void close() {
    isClosed = true;
    system.failOnActorFailure(false);
    try {
      endThreads();
      fabric.close();
    } catch (IllegalStateException e) {
      if (!isBroken) {
        throw e;
      }
    }
  }
}

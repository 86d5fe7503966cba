package dev.weft.dsm.member;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.report.DsmReport;
import dev.weft.dsm.sync.BarrierHome;
import dev.weft.dsm.sync.ConditionHome;
import dev.weft.dsm.sync.LockHome;
import dev.weft.dsm.sync.LockNode;
import dev.weft.dsm.sync.LockWord;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/** Locks, barriers and conditions of one node: the homes that it is responsible for, and its waiting threads. Used in the receive context. */
public final class SyncRoles {
  private final int self;
  private final Outbox outbox;
  private final Map<Integer, LockHome> lockHomes = new HashMap<>();
  private final Map<Integer, LockNode<Wait.OfLock>> locks = new HashMap<>();
  private final Map<Integer, BarrierHome> barrierHomes = new HashMap<>();
  private final Map<Integer, ArrayDeque<Wait.OfBarrier>> barriers = new HashMap<>();
  private final Map<Integer, ConditionHome> conditionHomes = new HashMap<>();
  private final Map<Integer, Wait.OfCondition> tickets = new HashMap<>();
  private final Map<Integer, ObjectSpec> specs = new HashMap<>();
  private int nextTicket = 1;
  /** Bits of the nodes that are lost. */
  private final LongSupplier lost;
  /** Of these, the nodes that have not left in order. */
  private long lostOnes;
  private String gone;
  /** This node leaves: messages for its homes are void, except news for the next homes. */
  private boolean retired;
  /** Barriers and conditions whose home leaves, and whose next home does not know yet which threads wait here. */
  private final Set<Integer> moving = new HashSet<>();

  SyncRoles(int self, Outbox outbox, LongSupplier lost) {
    this.self = self;
    this.outbox = outbox;
    this.lost = lost;
  }

  /** Adds an object; {@code word} is the state of a lock. */
  void add(ObjectSpec spec, LockWord word) {
    specs.put(spec.id(), spec);
    boolean isHome = homeOf(spec.id()) == self;
    switch (spec.kind()) {
      case LOCK -> {
        locks.put(spec.id(), new LockNode<>(spec.id(), () -> homeOf(spec.id()), word, outbox, Wait::end));
        if (isHome) {
          lockHomes.put(spec.id(), new LockHome(spec.id(), outbox));
        }
      }
      case BARRIER -> {
        barriers.put(spec.id(), new ArrayDeque<>());
        if (isHome) {
          barrierHomes.put(spec.id(), new BarrierHome(spec.id(), spec.length(), outbox));
        }
      }
      case CONDITION -> {
        if (isHome) {
          conditionHomes.put(spec.id(), new ConditionHome(spec.id(), outbox));
        }
      }
      default -> throw new IllegalArgumentException(spec + " is an array");
    }
  }

  private int homeOf(int object) {
    return specs.get(object).homeOf(0, lost.getAsLong());
  }

  // Requests of threads.

  /** Whether no node would answer; ends the wait then. */
  private boolean isInVain(Wait wait) {
    if (gone != null) {
      wait.fail(gone, false);
    }
    return wait.isOver();
  }

  public void onWait(Wait.OfLock wait) {
    if (wait.isRelease) { // Also while this node is about to leave: the thread releases the lock.
      locks.get(wait.object).onRelease();
      wait.end();
    } else if (!isInVain(wait)) {
      locks.get(wait.object).onWait(wait);
    }
  }

  /** A thread stops waiting for a lock, unless it has it by now. */
  public void onCancel(Wait.OfLock wait) {
    if (!wait.isOver() && locks.get(wait.object).cancel(wait)) {
      wait.isCancelled = true;
      wait.end();
    }
  }

  public void onWait(Wait.OfBarrier wait) {
    if (isInVain(wait)) {
      return;
    }
    barriers.get(wait.object).add(wait);
    if (!moving.contains(wait.object)) {
      outbox.send(homeOf(wait.object), new DsmMessage.BarrierArrive(wait.object));
    }
  }

  public void onWait(Wait.OfCondition wait) {
    if (isInVain(wait.registered)) {
      return;
    }
    wait.ticket = nextTicket++;
    tickets.put(wait.ticket, wait);
    if (!moving.contains(wait.object)) {
      outbox.send(homeOf(wait.object), new DsmMessage.ConditionWait(wait.object, wait.ticket));
    }
  }

  public void onCancel(Wait.OfCondition wait) {
    if (wait.isOver()) {
      return;
    }
    if (tickets.get(wait.ticket) == wait) {
      tickets.remove(wait.ticket);
      outbox.send(homeOf(wait.object), new DsmMessage.ConditionCancel(wait.object, wait.ticket));
    }
    wait.isCancelled = true;
    wait.end();
  }

  public void signal(int object, boolean all) {
    outbox.send(homeOf(object), new DsmMessage.ConditionSignal(object, all));
  }

  // Incoming messages.

  /** Whether a message is about threads of a node that has left or is about to leave. */
  private boolean isOfRetired(int from, DsmMessage.OfSync message) {
    return (message instanceof DsmMessage.BarrierArrive || message instanceof DsmMessage.ConditionWait) && (lost.getAsLong() & 1L << from) != 0;
  }

  /** Handles a message. */
  void onMessage(int from, DsmMessage.OfSync message) {
    if (retired && isForRetiredHome(message) || isOfRetired(from, message)) {
      return;
    }
    switch (message) {
      case DsmMessage.LockRequest m -> home(lockHomes, m.object()).onRequest(from);
      case DsmMessage.LockReturn m -> home(lockHomes, m.object()).onReturn(from, m.wantsAgain(), m.holderLost());
      case DsmMessage.LockGrant m -> locks.get(m.object()).onGrant(m.recalled(), m.holderLost());
      case DsmMessage.LockRecall m -> locks.get(m.object()).onRecall();
      case DsmMessage.HoldsLock m -> home(lockHomes, m.object()).onHolds(from);
      case DsmMessage.WasHome m -> onWasHome(m);
      case DsmMessage.BarrierArrive m -> home(barrierHomes, m.object()).onArrive(from);
      case DsmMessage.BarrierRelease m -> {
        ArrayDeque<Wait.OfBarrier> waiting = barriers.get(m.object());
        for (int i = 0; i < m.threads() && !waiting.isEmpty(); i++) {
          waiting.poll().end();
        }
      }
      case DsmMessage.BarrierBroken m -> breakBarrier(m.object(), "a node was lost that had to do with the barrier");
      case DsmMessage.ConditionWait m -> home(conditionHomes, m.object()).onWait(from, m.ticket());
      case DsmMessage.ConditionCancel m -> home(conditionHomes, m.object()).onCancel(from, m.ticket());
      case DsmMessage.ConditionSignal m -> home(conditionHomes, m.object()).onSignal(m.all());
      case DsmMessage.ConditionWaiting m -> {
        Wait.OfCondition wait = tickets.get(m.ticket());
        if (wait != null) {
          wait.registered.end();
        }
      }
      case DsmMessage.ConditionWake m -> {
        Wait.OfCondition wait = tickets.remove(m.ticket());
        if (wait != null) {
          wait.end();
        } else {
          signal(m.object(), false); // The thread had stopped waiting; another one gets the signal.
        }
      }
    }
  }

  /**
   * Whether a message to a leaving home is void. Its sender did not know of the departure, and will report to the next home itself. A signal is
   * passed on.
   */
  private boolean isForRetiredHome(DsmMessage.OfSync message) {
    return switch (message) {
      case DsmMessage.LockRequest m -> true;
      case DsmMessage.HoldsLock m -> true;
      case DsmMessage.BarrierArrive m -> true;
      case DsmMessage.ConditionWait m -> true;
      case DsmMessage.ConditionCancel m -> true;
      case DsmMessage.WasHome m -> {
        onWasHome(m);
        yield true;
      }
      case DsmMessage.LockReturn m -> {
        boolean isHandedOn = !lockHomes.containsKey(m.object());
        if (isHandedOn && m.holderLost()) { // The next home does not know of this lost holder.
          outbox.send(homeOf(m.object()), new DsmMessage.WasHome(m.object(), true, -1));
        }
        yield isHandedOn;
      }
      case DsmMessage.ConditionSignal m -> {
        signal(m.object(), m.all());
        yield true;
      }
      case DsmMessage.LockGrant m -> false;
      case DsmMessage.LockRecall m -> false;
      case DsmMessage.BarrierRelease m -> false;
      case DsmMessage.BarrierBroken m -> false;
      case DsmMessage.ConditionWaiting m -> false;
      case DsmMessage.ConditionWake m -> false;
    };
  }

  /** The previous home reports its state. */
  private void onWasHome(DsmMessage.WasHome was) {
    if (lockHomes.containsKey(was.object())) {
      lockHomes.get(was.object()).onWasHome(was.isHurt(), was.holder());
    } else if (barrierHomes.containsKey(was.object())) {
      barrierHomes.get(was.object()).onWasHome(was.isHurt());
    }
  }

  private static <T> T home(Map<Integer, T> homes, int object) {
    T found = homes.get(object);
    if (found == null) {
      throw new IllegalArgumentException("this node is not the home of object " + object);
    }
    return found;
  }

  private void breakBarrier(int object, String why) {
    ArrayDeque<Wait.OfBarrier> waiting = barriers.get(object);
    for (Wait.OfBarrier next = waiting.poll(); next != null; next = waiting.poll()) {
      next.fail(why + " \"" + specs.get(object).name() + "\"", true);
    }
  }

  /** A node leaves, so it is the home of nothing any more; its objects have other homes now. */
  void onRetire(int node) {
    retired |= node == self;
    barrierHomes.values().forEach(home -> home.onNodeLeft(node)); // Its threads no longer wait.
    conditionHomes.values().forEach(home -> home.onNodeLost(node));
    for (ObjectSpec spec : specs.values()) {
      if (spec.wasHome(node, 0, lost.getAsLong())) {
        onHomeRetired(spec, node);
      }
    }
  }

  private void onHomeRetired(ObjectSpec spec, int node) {
    int id = spec.id();
    boolean isHome = homeOf(id) == self;
    switch (spec.kind()) {
      case LOCK -> {
        if (isHome) {
          lockHomes.computeIfAbsent(id, object -> LockHome.takeOver(object, outbox));
        } else if (node == self && lockHomes.containsKey(id)) {
          lockHomes.get(id).retire();
        }
        locks.get(id).onHomeLost();
      }
      case BARRIER -> {
        moving.add(id);
        if (isHome) {
          barrierHomes.computeIfAbsent(id, object -> BarrierHome.takeOver(object, spec.length(), outbox));
        } else if (node == self && barrierHomes.containsKey(id)) {
          barrierHomes.get(id).retire();
        }
      }
      case CONDITION -> {
        moving.add(id);
        if (isHome) {
          conditionHomes.computeIfAbsent(id, object -> ConditionHome.takeOver(object, outbox));
        } else if (node == self) {
          conditionHomes.remove(id);
        }
      }
      default -> throw new IllegalStateException(spec + " is an array");
    }
  }

  /** A node has left in order, and has returned its locks. */
  void onNodeLeft(int node) {
    lockHomes.values().forEach(home -> home.onNodeLeft(node));
    barrierHomes.values().forEach(home -> home.onNodeLeft(node));
    conditionHomes.values().forEach(home -> home.onNodeLost(node));
  }

  /** A leaving node was lost before it left: what it did not hand over is lost. */
  void onRetiredLost(int node, String what) {
    lostOnes |= 1L << node;
    for (ObjectSpec spec : specs.values()) {
      if (spec.wasHome(node, 0, lost.getAsLong()) && spec.kind() == ObjectSpec.Kind.BARRIER) {
        breakBarrier(spec.id(), what);
      } else if (spec.wasHome(node, 0, lost.getAsLong()) && spec.kind() == ObjectSpec.Kind.CONDITION && moving.contains(spec.id())) {
        wakeRegistered(spec.id());
      }
    }
    lockHomes.values().forEach(home -> home.onNodeLost(node));
    barrierHomes.values().forEach(home -> home.onNodeLost(node));
    conditionHomes.values().forEach(home -> home.onNodeLost(node));
  }

  /** Wakes registered threads; threads that are not registered yet are registered when the homes have moved. */
  private void wakeRegistered(int condition) {
    tickets.values().removeIf(wait -> {
      boolean isRegistered = wait.object == condition && wait.registered.isOver();
      if (isRegistered) {
        wait.end();
      }
      return isRegistered;
    });
  }

  /** A node is lost; its objects have other homes now, or none. */
  void onNodeLost(int node, String what) {
    lostOnes |= 1L << node;
    for (ObjectSpec spec : specs.values()) {
      if (spec.wasHome(node, 0, lost.getAsLong())) {
        onHomeLost(spec, node, what);
      }
    }
    lockHomes.values().forEach(home -> home.onNodeLost(node));
    barrierHomes.values().forEach(home -> home.onNodeLost(node));
    conditionHomes.values().forEach(home -> home.onNodeLost(node));
  }

  private void onHomeLost(ObjectSpec spec, int node, String what) {
    int id = spec.id();
    boolean isHome = homeOf(id) == self;
    switch (spec.kind()) {
      case LOCK -> {
        if (isHome) {
          lockHomes.computeIfAbsent(id, object -> LockHome.takeOver(object, outbox));
        }
        locks.get(id).onHomeLost();
      }
      case BARRIER -> {
        if (isHome) {
          barrierHomes.computeIfAbsent(id, object -> new BarrierHome(object, spec.length(), outbox)).onNodeLost(node);
        }
        breakBarrier(id, what);
      }
      case CONDITION -> {
        if (isHome) {
          conditionHomes.computeIfAbsent(id, object -> new ConditionHome(object, outbox));
        }
        tickets.values().removeIf(wait -> wait.object == id && isEndedByLossOfItsHome(wait));
      }
      default -> throw new IllegalStateException(spec + " is an array");
    }
  }

  /**
   * Ends the wait of a registered thread, because a signal may be lost with the home. A thread that is not registered yet registers at the next home.
   */
  private boolean isEndedByLossOfItsHome(Wait.OfCondition wait) {
    if (wait.registered.isOver()) {
      wait.end();
    } else {
      outbox.send(homeOf(wait.object), new DsmMessage.ConditionWait(wait.object, wait.ticket));
    }
    return wait.isOver();
  }

  /**
   * Reports this node's state to the homes that take the place of a lost node.
   *
   * @param unreported other lost nodes that this node has not reported for yet
   */
  public void report(int node, long unreported) {
    for (ObjectSpec spec : specs.values()) {
      if (!spec.wasHome(node, 0, lost.getAsLong())) {
        continue;
      }
      int id = spec.id();
      int home = homeOf(id);
      if (spec.kind() == ObjectSpec.Kind.LOCK) {
        if (locks.get(id).isHere()) {
          outbox.send(home, new DsmMessage.HoldsLock(id));
        }
        if (retired && lockHomes.containsKey(id)) {
          outbox.send(home, new DsmMessage.WasHome(id, lockHomes.get(id).isHolderLost(), lockHomes.get(id).handedOn()));
          lockHomes.remove(id);
        }
      } else {
        reportWaiting(spec, home, unreported);
      }
    }
  }

  /** Reports the threads that wait here; once, when all leaving homes are replaced. */
  private void reportWaiting(ObjectSpec spec, int home, long unreported) {
    int id = spec.id();
    if (spec.kind() == ObjectSpec.Kind.BARRIER && retired && barrierHomes.containsKey(id)) {
      outbox.send(home, new DsmMessage.WasHome(id, barrierHomes.remove(id).isBroken(), -1));
    }
    if (wasHomeAmong(spec, unreported) || !moving.remove(id)) {
      return;
    }
    if (spec.kind() == ObjectSpec.Kind.BARRIER) {
      barriers.get(id).forEach(wait -> outbox.send(home, new DsmMessage.BarrierArrive(id)));
    } else {
      tickets.values().stream().filter(wait -> wait.object == id).forEach(wait -> outbox.send(home, new DsmMessage.ConditionWait(id, wait.ticket)));
    }
  }

  /** The homes know what this node has: requests what threads want. {@code unreported} are lost nodes that this node has not reported for yet. */
  void resume(long unreported) {
    for (ObjectSpec spec : specs.values()) {
      if (spec.kind() == ObjectSpec.Kind.LOCK && !wasHomeAmong(spec, unreported)) {
        locks.get(spec.id()).resume();
      }
    }
  }

  private boolean wasHomeAmong(ObjectSpec spec, long nodes) {
    boolean was = false;
    for (long left = nodes; left != 0; left &= left - 1) {
      was |= spec.wasHome(Long.numberOfTrailingZeros(left), 0, lost.getAsLong());
    }
    return was;
  }

  /** All nodes have reported. */
  void onGathered() {
    lockHomes.values().forEach(home -> home.onGathered(lostOnes));
    barrierHomes.values().forEach(BarrierHome::onGathered);
    conditionHomes.values().forEach(ConditionHome::onGathered);
  }

  /** Collects the locks, barriers and conditions of homes here, and those that threads of this node wait for. */
  public void report(List<DsmReport.Lock> toLocks, List<DsmReport.Barrier> toBarriers, List<DsmReport.Condition> toConditions, long nowNs) {
    SyncReport report = new SyncReport(self, specs, this::homeOf, nowNs);
    report.locks(locks, lockHomes, toLocks);
    report.barriers(barriers, barrierHomes, toBarriers);
    report.conditions(tickets.values(), toConditions);
  }

  /** Names of the locks that threads of this node hold. */
  List<String> held() {
    return specs.values().stream().filter(spec -> spec.kind() == ObjectSpec.Kind.LOCK && locks.get(spec.id()).isHeld()).map(ObjectSpec::name).sorted()
        .toList();
  }

  /** This node is about to leave: returns its locks. */
  void giveBackLocks() {
    locks.values().forEach(LockNode::leave);
  }

  /** This node leaves while threads of it hold locks, whose work may be half done; the next holders learn that. */
  void abandonLocks() {
    locks.values().forEach(LockNode::abandon);
  }

  /** Number of locks at this node. */
  long here() {
    return locks.values().stream().filter(LockNode::isHere).count();
  }

  /** This node leaves: ends all waits. */
  void end(String why) {
    gone = why;
    locks.values().forEach(lock -> lock.giveUp().forEach(wait -> wait.fail(why, false)));
    barriers.values().forEach(waiting -> {
      waiting.forEach(wait -> wait.fail(why, false));
      waiting.clear();
    });
    tickets.values().forEach(wait -> {
      wait.registered.fail(why, false);
      wait.fail(why, false);
    });
    tickets.clear();
  }
}

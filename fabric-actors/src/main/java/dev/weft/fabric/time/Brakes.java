package dev.weft.fabric.time;

import akka.dispatch.Mailbox;
import java.util.ArrayList;
import java.util.List;

/**
 * The actors of a virtual system that are slowed or held. A rule applies to an actor path and all actors below it. If several rules apply to an
 * actor, a hold wins; otherwise the rule with the longest path does.
 */
final class Brakes {
  /** The delay that never ends. */
  static final long HELD = Long.MAX_VALUE;

  private record Rule(String path, long delayNs) {}

  private final List<Rule> rules = new ArrayList<>();
  private List<Runnable> held = new ArrayList<>();
  private List<Delayed> delayed = new ArrayList<>();

  /** A task that becomes ready later, unless it is taken first. */
  private final class Delayed implements Runnable {
    private final Runnable task;
    private final ReadyList ready;
    private boolean taken;

    Delayed(Runnable task, ReadyList ready) {
      this.task = task;
      this.ready = ready;
    }

    @Override
    public void run() {
      if (!taken) {
        delayed.remove(this);
        ready.add(task);
      }
    }
  }

  /** Replaces the rule of this path; a delay of 0 removes it. */
  void set(String path, long delayNs) {
    rules.removeIf(rule -> rule.path.equals(path));
    if (delayNs != 0) {
      rules.add(new Rule(path, delayNs));
    }
  }

  void clear() {
    rules.clear();
  }

  /** Returns how long a task has to wait before it is ready; 0 if the task is not a mailbox. */
  long delayNs(Runnable task) {
    if (rules.isEmpty() || !(task instanceof Mailbox mailbox) || mailbox.actor() == null) {
      return 0;
    }
    String path = mailbox.actor().self().path().toStringWithoutAddress();
    Rule best = null;
    for (Rule rule : rules) {
      boolean isUnder = path.startsWith(rule.path) && (path.length() == rule.path.length() || path.charAt(rule.path.length()) == '/');
      if (isUnder && (best == null || rule.delayNs == HELD || rule.path.length() > best.path.length() && best.delayNs != HELD)) {
        best = rule;
      }
    }
    return best == null ? 0 : best.delayNs;
  }

  void hold(Runnable task) {
    held.add(task);
  }

  /** Returns the event for the heap in place of a task that has to wait. */
  Runnable delay(Runnable task, ReadyList ready) {
    Delayed waiting = new Delayed(task, ready);
    delayed.add(waiting);
    return waiting;
  }

  /** Takes all held tasks, then all delayed ones, each in their order of arrival. The caller submits each again. */
  List<Runnable> takeWaiting() {
    List<Runnable> taken = held;
    held = new ArrayList<>();
    for (Delayed waiting : delayed) {
      waiting.taken = true;
      taken.add(waiting.task);
    }
    delayed = new ArrayList<>();
    return taken;
  }
}

package dev.weft.fabric.time;

import akka.dispatch.Mailbox;
import java.util.ArrayList;
import java.util.List;

/**
 * Which actors of a virtual system are slowed or held, by the paths of their roots. Being held goes before being slow, then the
 * longest path decides.
 */
final class Brakes {
  /** A delay without end. */
  static final long HELD = Long.MAX_VALUE;

  private record Rule(String path, long delayNs) {}

  private final List<Rule> rules = new ArrayList<>();
  private List<Runnable> held = new ArrayList<>();
  private List<Delayed> delayed = new ArrayList<>();

  /** A task that becomes ready later, unless it is taken before that. */
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

  /** Replaces what was said of this path; a delay of 0 says nothing. */
  void set(String path, long delayNs) {
    rules.removeIf(rule -> rule.path.equals(path));
    if (delayNs != 0) {
      rules.add(new Rule(path, delayNs));
    }
  }

  void clear() {
    rules.clear();
  }

  /** How long a task has to wait before it is ready; 0 for what is not a mailbox. */
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

  /** What to put on the heap in place of a task that has to wait. */
  Runnable delay(Runnable task, ReadyList ready) {
    Delayed waiting = new Delayed(task, ready);
    delayed.add(waiting);
    return waiting;
  }

  /** Takes everything that is held or has to wait, in the order it came; the caller asks again for each. */
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

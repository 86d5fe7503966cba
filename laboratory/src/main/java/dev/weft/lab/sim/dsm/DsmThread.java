package dev.weft.lab.sim.dsm;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.SharedLongs;
import dev.weft.fabric.time.AppThread;
import dev.weft.lab.sim.dsm.WordHistories.Access;
import dev.weft.lab.trials.dsm.check.Operation.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A thread that runs its program on shared memory, and records what it sees. */
final class DsmThread {
  /** The node of the thread is dead, and so is the thread. */
  private static final class Died extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static final long HELD_MAX_NS = 20_000;
  /** Values of different threads differ. */
  private static final int VALUE_SHIFT = 24;

  private final DsmRun run;
  private final DsmHost host;
  private final int number;
  private final String name;
  private final List<Step> steps;
  private final boolean isLast;
  /** The last value of each word that this thread saw, so that some of its expected values are right. */
  private final Map<Long, Long> seen = new HashMap<>();
  private AppThread me;
  private Step current;
  private long values;
  private boolean done;

  /** @param isLast whether it checks the final state when the others have ended */
  DsmThread(DsmRun run, DsmHost host, int number, String name, List<Step> steps, boolean isLast) {
    this.run = run;
    this.host = host;
    this.number = number;
    this.name = name;
    this.steps = steps;
    this.isLast = isLast;
  }

  boolean isDone() {
    return done;
  }

  boolean isDead() {
    return host.isDead;
  }

  /** Whether it may be about to write a minipage of an array. */
  boolean isWriting(int array, int minipage) {
    Step elements = current != null && current.kind().isWrite() ? elementsOf(current) : null;
    return elements != null && elements.object() == array && run.scenario().arrays().get(array).isIn(minipage, elements.index(), elements.count());
  }

  @Override
  public String toString() {
    return name;
  }

  String state() {
    return name + (done ? " has ended" : " is at " + current);
  }

  void run(AppThread thread) {
    me = thread;
    try {
      for (Step step : steps) {
        compute(step.pauseNs());
        perform(step);
      }
    } catch (Died died) {
      run.note(name + " dies with its node");
    }
    done = true;
  }

  private void compute(long ns) {
    if (ns > 0) {
      me.compute(ns);
    }
    requireAlive();
  }

  private void requireAlive() {
    if (host.isDead || run.isDecided()) {
      throw new Died();
    }
  }

  private void perform(Step step) {
    current = step;
    run.onBegin(this, step);
    String end = "";
    try {
      switch (step.kind()) {
        case READ -> end = "" + read(step.object(), step.index());
        case WRITE -> write(step.object(), step.index(), nextValue());
        case GET_AND_ADD -> end = "" + getAndAdd(step);
        case COMPARE_AND_SET -> end = "" + compareAndSet(step);
        case BULK_READ -> bulkRead(step);
        case BULK_WRITE -> bulkWrite(step);
        case BLOCK_READ -> end = "" + blockRead(step);
        case BLOCK_WRITE -> blockWrite(step);
        case LOCK, TRY_LOCK, CONDITION_WAIT, SIGNAL -> end = locked(step);
        case BARRIER -> meet(step);
        case PREFETCH -> host.arrays.get(step.object()).prefetch(step.index(), step.count());
        case PUSH -> host.arrays.get(step.object()).push(step.index(), step.count());
      }
    } catch (NodeLostException lost) {
      requireAlive();
      end = "lost";
      if (step.kind().isLocked()) {
        run.violations().add(name + " was told that a lock is lost: " + lost.getMessage());
      }
      run.onLost(this, step.kind().isLocked() ? null : elementsOf(step), lost);
    } catch (IllegalStateException refused) {
      requireAlive();
      end = "refused";
      run.violations().add(name + " was refused " + step + " on a node that lives: " + refused.getMessage());
    }
    requireAlive();
    current = null;
    run.onEnd(this, step, end);
  }

  /** The step with its elements as in their array; null if it accesses none. */
  private Step elementsOf(Step step) {
    int words = run.scenario().blockWords();
    return switch (step.kind()) {
      case READ, WRITE, GET_AND_ADD, COMPARE_AND_SET, BULK_READ, BULK_WRITE -> step;
      case BLOCK_READ, BLOCK_WRITE -> new Step(step.kind(), step.object(), step.index() * words, words, 0, false, 0);
      case LOCK, TRY_LOCK, CONDITION_WAIT, SIGNAL -> new Step(step.kind(), run.scenario().countersAt(), step.object(), 1, 0, false, 0);
      case BARRIER, PREFETCH, PUSH -> null;
    };
  }

  // Words.

  private static long word(int array, long index) {
    return (long) array * WordHistories.ARRAY_STRIDE + index;
  }

  private long nextValue() {
    return (long) (number + 1) << VALUE_SHIFT | ++values;
  }

  private Access begin(int array, long index, Kind kind, long expected, long argument) {
    return run.histories().begin(number, 0, word(array, index), kind, expected, argument);
  }

  /** Results of a dying node's thread do not count. */
  private void end(Access access, long result) {
    if (!host.isDead) {
      run.histories().end(access, result);
    }
  }

  private long read(int array, int index) {
    Access access = begin(array, index, Kind.READ, 0, 0);
    long value = host.arrays.get(array).get(index);
    end(access, value);
    seen.put(word(array, index), value);
    if (isLast && array == run.scenario().countersAt()) {
      run.sync().onCounter(index, value);
    }
    return value;
  }

  private void write(int array, int index, long value) {
    Access access = begin(array, index, Kind.WRITE, 0, value);
    host.arrays.get(array).set(index, value);
    end(access, 0);
    seen.put(word(array, index), value);
  }

  private long getAndAdd(Step step) {
    long delta = nextValue();
    Access access = begin(step.object(), step.index(), Kind.ADD, 0, delta);
    long before = host.arrays.get(step.object()).getAndAdd(step.index(), delta);
    end(access, before);
    seen.put(word(step.object(), step.index()), before + delta);
    return before;
  }

  private boolean compareAndSet(Step step) {
    long word = word(step.object(), step.index());
    long expected = seen.getOrDefault(word, 0L);
    long value = nextValue();
    Access access = begin(step.object(), step.index(), Kind.CAS, expected, value);
    boolean did = host.arrays.get(step.object()).compareAndSet(step.index(), expected, value);
    end(access, did ? 1 : 0);
    if (did) {
      seen.put(word, value);
    }
    return did;
  }

  private Access[] beginAll(Step step, Kind kind, long[] values) {
    Access[] accesses = new Access[step.count()];
    Arrays.setAll(accesses, i -> run.histories().begin(number, i + 1, word(step.object(), step.index() + (long) i), kind, 0, values[i]));
    return accesses;
  }

  private void bulkRead(Step step) {
    long[] values = new long[step.count()];
    Access[] accesses = beginAll(step, Kind.READ, values);
    host.arrays.get(step.object()).read(step.index(), values, 0, values.length);
    for (int i = 0; i < values.length; i++) {
      end(accesses[i], values[i]);
    }
  }

  private void bulkWrite(Step step) {
    long[] values = new long[step.count()];
    Arrays.setAll(values, i -> nextValue());
    Access[] accesses = beginAll(step, Kind.WRITE, values);
    host.arrays.get(step.object()).write(step.index(), values, 0, values.length);
    for (Access access : accesses) {
      end(access, 0);
    }
  }

  // Blocks, whose words are all equal.

  private long blockRead(Step step) {
    long[] block = new long[run.scenario().blockWords()];
    Access access = begin(step.object(), step.index(), Kind.READ, 0, 0);
    host.arrays.get(step.object()).read((long) step.index() * block.length, block, 0, block.length);
    end(access, block[0]);
    if (Arrays.stream(block).anyMatch(value -> value != block[0])) {
      run.violations().add(name + " read block " + step.index() + " while it was written: " + Arrays.toString(block));
    }
    return block[0];
  }

  private void blockWrite(Step step) {
    long[] block = new long[run.scenario().blockWords()];
    Arrays.fill(block, nextValue());
    Access access = begin(step.object(), step.index(), Kind.WRITE, 0, block[0]);
    SharedLongs blocks = host.arrays.get(step.object());
    blocks.write((long) step.index() * block.length, block, 0, block.length);
    end(access, 0);
  }

  // Locks and barriers.

  private String locked(Step step) {
    DsmLock lock = host.locks.get(step.object());
    DsmLock.Acquired how;
    if (step.kind() == OpKind.TRY_LOCK) {
      Optional<DsmLock.Acquired> tried = lock.tryAcquire(Duration.ofNanos(step.amountNs()));
      if (tried.isEmpty()) {
        return "not in time";
      }
      how = tried.get();
    } else {
      how = lock.acquire();
    }
    requireAlive();
    run.sync().onTaken(step.object(), this, how);
    String end = "" + how;
    if (step.kind() == OpKind.CONDITION_WAIT) {
      end = await(step, lock);
      if (end.isEmpty()) {
        return "lost";
      }
    }
    try {
      count(step);
    } catch (NodeLostException lost) {
      requireAlive();
      run.onLost(this, elementsOf(step), lost);
    }
    if (step.kind() == OpKind.SIGNAL && step.isForAll()) {
      host.conditions.get(step.object()).signalAll();
    } else if (step.kind() == OpKind.SIGNAL) {
      host.conditions.get(step.object()).signal();
    }
    run.sync().onGiven(step.object(), this);
    lock.release();
    return end;
  }

  /** Returns an empty text if it is lost; only the lock then knows whether it is held. */
  private String await(Step step, DsmLock lock) {
    run.sync().onGiven(step.object(), this);
    boolean isSignaled;
    try {
      isSignaled = host.conditions.get(step.object()).await(Duration.ofNanos(step.amountNs()));
    } catch (NodeLostException lost) {
      requireAlive();
      run.onLost(this, null, lost);
      try {
        lock.release();
      } catch (IllegalStateException notHeld) {
        run.note(name + " does not have the lock any more");
      }
      return "";
    }
    requireAlive();
    run.sync().onTaken(step.object(), this, null);
    return isSignaled ? "signaled" : "not signaled";
  }

  private void count(Step step) {
    int counters = run.scenario().countersAt();
    run.sync().onCountBegun(step.object());
    long before = read(counters, step.object());
    compute(Math.min(step.amountNs(), HELD_MAX_NS));
    write(counters, step.object(), before + 1);
    run.sync().onCountDone(step.object());
    if (run.scenario().isReleased()) {
      run.release().section(step.object(), this, host, nextValue(), () -> compute(Math.min(step.amountNs(), HELD_MAX_NS)));
    }
  }

  private void meet(Step step) {
    if (run.scenario().isReleased()) {
      run.release().beforeBarrier(step.index(), number, this, host);
      requireAlive();
    }
    run.sync().onArrived(step.index());
    host.barrier.await();
    requireAlive();
    run.sync().onLeft(step.index(), this);
    if (run.scenario().isReleased()) {
      run.release().afterBarrier(step.index(), this, host, this::requireAlive);
    }
  }
}

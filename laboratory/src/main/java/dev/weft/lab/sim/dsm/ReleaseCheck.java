package dev.weft.lab.sim.dsm;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.lab.kit.Violations;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A program without data races on arrays with release consistency, whose minipages have several writers. Each lock has some words, and a holder sees
 * the values of the last holder. Each thread has its own elements, which all others read after the next barrier.
 */
final class ReleaseCheck {
  /** The action of a thread between two accesses. */
  interface Between {
    void pass();
  }

  private static final int WORDS = 4;
  private static final int PARITIES = 2;
  private static final int ROUND = 1000;

  private final Violations violations;
  private final List<DsmHost> hosts;
  private final BooleanSupplier anyCrash;
  private final int locks;
  private final int parties;
  private final int unitBytes;
  private final long[] values;
  private final DsmHost[] writers;

  ReleaseCheck(DsmScenario scenario, List<DsmHost> hosts, Violations violations, BooleanSupplier anyCrash) {
    this.violations = violations;
    this.hosts = hosts;
    this.anyCrash = anyCrash;
    locks = scenario.locks();
    parties = scenario.threads();
    unitBytes = scenario.arrays().getFirst().unitBytes();
    values = new long[locks * WORDS];
    writers = new DsmHost[locks * WORDS];
  }

  SharingUnit unit() {
    return SharingUnit.bytes(unitBytes);
  }

  int words() {
    return locks * WORDS;
  }

  int elements() {
    return PARITIES * parties;
  }

  /** Runs a critical section on the words of a lock; {@code choice} selects the words to change, and the values. */
  void section(int lock, DsmThread thread, DsmHost host, long choice, Between between) {
    SharedLongs words = host.released;
    try {
      for (int i = 0; i < WORDS; i++) {
        int word = i * locks + lock;
        long seen = words.get(word);
        between.pass();
        if (seen != values[word] && (writers[word] == null || !writers[word].isDead)) {
          violations.add(thread + " has lock " + lock + " and reads " + seen + " in word " + word + ", but " + values[word] + " was left by "
              + (writers[word] == null ? "nobody" : writers[word].name));
        }
      }
      for (int i = 0; i < WORDS; i++) {
        int word = i * locks + lock;
        long kind = choice >>> 2 * i & 3;
        if (kind != 0) {
          long before = words.get(word);
          long value = kind != 2 ? before : (choice << 4) + i + 1;
          writers[word] = host;
          words.set(word, -choice - i - 1); // No other thread ever sees this value.
          between.pass();
          words.set(word, value);
          between.pass();
          values[word] = value;
        }
      }
    } catch (NodeLostException lost) {
      onLost(thread, host, "released", lost);
    }
  }

  /** Writes the thread's own element for the next barrier. */
  void beforeBarrier(int round, int number, DsmThread thread, DsmHost host) {
    try {
      host.ownElements.set(round % PARITIES * parties + number, round * ROUND + number + 1);
    } catch (NodeLostException lost) {
      onLost(thread, host, "own", lost);
    }
  }

  /** Checks the elements of all other threads. */
  void afterBarrier(int round, DsmThread thread, DsmHost host, Between between) {
    SharedInts elements = host.ownElements;
    try {
      for (int other = 0; other < parties; other++) {
        int seen = elements.get(round % PARITIES * parties + other);
        between.pass();
        if (!mayBeSeen(seen, round, other)) {
          violations.add(thread + " has left the barrier in round " + round + " and reads " + seen + " of thread " + other);
        }
      }
    } catch (NodeLostException lost) {
      onLost(thread, host, "own", lost);
    }
  }

  /** A barrier that a crash has broken does not stop threads, which may then be in a later round. */
  private boolean mayBeSeen(int seen, int round, int other) {
    int later = seen - (round * ROUND + other + 1);
    return later == 0 || anyCrash.getAsBoolean() && later > 0 && later % (PARITIES * ROUND) == 0;
  }

  private void onLost(DsmThread thread, DsmHost host, String array, NodeLostException lost) {
    if (host.isDead) {
      return; // Results of a dying node's thread do not count.
    }
    boolean mayBe = false;
    for (int minipage = 0; minipage * unitBytes < Math.max(words() * Long.BYTES, elements() * Integer.BYTES); minipage++) {
      int number = minipage;
      mayBe |= hosts.stream().anyMatch(other -> other.isDead && other.space != null && isHome(other, host, array, number));
    }
    if (!anyCrash.getAsBoolean() || !mayBe) {
      violations.add(thread + " was told that \"" + array + "\" is lost, but its homes live: " + lost.getMessage());
    }
  }

  private static boolean isHome(DsmHost other, DsmHost host, String array, int minipage) {
    try {
      return host.space.homeOf(array, minipage) == other.space.node();
    } catch (RuntimeException noSuchMinipage) {
      return false;
    }
  }
}

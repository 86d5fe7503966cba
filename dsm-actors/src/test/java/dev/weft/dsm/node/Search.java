package dev.weft.dsm.node;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.Long2LongHashMap;

/**
 * All states that a scenario can come to, the nearest first, so that what is found has a shortest way to it. The cores cannot be copied, so a state is
 * come back to by replaying its steps from the start. A state is known by a hash of 64 bits: two states among ten million share one with a probability
 * of some 3 in a million.
 */
final class Search {
  /** What was found to be wrong. */
  static final class Found extends AssertionError {
    private static final long serialVersionUID = 1;

    Found(String message) {
      super(message);
    }
  }

  private static final int UNKNOWN = -1;

  private final Object name;
  private final Supplier<? extends Model> models;
  private final int statesMax;
  private final Long2LongHashMap known = new Long2LongHashMap(1 << 16, 0.6f, UNKNOWN);
  /** How each state was reached first: from which one, by which step. */
  private final IntArrayList parents = new IntArrayList();
  private final IntArrayList steps = new IntArrayList();
  private final IntArrayList edgesFrom = new IntArrayList();
  private final IntArrayList edgesTo = new IntArrayList();
  private final IntArrayList quiet = new IntArrayList();
  private final Set<String> outcomes = new TreeSet<>();
  private final StringBuilder text = new StringBuilder();
  private int depthMax;

  /** @param plants makes the bug of each model; models are made many times */
  Search(Scenario scenario, Supplier<Plant> plants, int statesMax) {
    this(scenario, () -> new ProtocolModel(scenario, plants.get()), statesMax);
  }

  /** @param name of what is searched, for messages */
  Search(Object name, Supplier<? extends Model> models, int statesMax) {
    this.name = name;
    this.models = models;
    this.statesMax = statesMax;
  }

  /**
   * Explores all.
   *
   * @throws Found if something is wrong
   */
  Search run() {
    visit(replay(new int[0]), UNKNOWN, 0);
    for (int state = 0; state < states(); state++) {
      expand(state);
    }
    checkThatAllEnd();
    return this;
  }

  int states() {
    return parents.size();
  }

  int transitions() {
    return edgesFrom.size();
  }

  /** What complete executions have read. */
  Set<String> outcomes() {
    return outcomes;
  }

  int depthMax() {
    return depthMax;
  }

  /** Replays steps, for a closer look; the codes are those that a failure prints. */
  static String replay(Scenario scenario, Plant plant, int... codes) {
    return tell(new ProtocolModel(scenario, plant), codes);
  }

  private static String tell(Model model, int... codes) {
    StringBuilder told = new StringBuilder();
    for (int i = 0; i < codes.length; i++) {
      told.append(i).append(": ").append(model.describe(codes[i])).append('\n');
      model.step(codes[i]);
      String problem = model.problem();
      if (problem != null) {
        told.append("   ").append(problem).append('\n');
      }
    }
    return told.append("state: ").append(model.outcome()).toString();
  }

  private Model replay(int[] path) {
    Model model = models.get();
    for (int code : path) {
      model.step(code);
    }
    return model;
  }

  /** Answers the number of the state that a model is in. */
  private int visit(Model model, int parent, int step) {
    text.setLength(0);
    model.append(text);
    long hash = hash(text);
    int seen = (int) known.get(hash);
    if (seen != UNKNOWN) {
      return seen;
    }
    int state = parents.size();
    known.put(hash, state);
    parents.add(parent);
    steps.add(step);
    check(model, state);
    return state;
  }

  private void expand(int state) {
    int[] path = pathTo(state);
    depthMax = path.length;
    Model model = replay(path);
    int[] enabled = model.enabled();
    for (int i = 0; i < enabled.length; i++) {
      Model next = i == 0 ? model : replay(path);
      try {
        next.step(enabled[i]);
      } catch (RuntimeException broken) {
        int[] there = Arrays.copyOf(path, path.length + 1);
        there[path.length] = enabled[i];
        throw found("it fails: " + broken, there);
      }
      edgesFrom.add(state);
      edgesTo.add(visit(next, state, enabled[i]));
    }
  }

  private void check(Model model, int state) {
    if (state >= statesMax) {
      throw new IllegalStateException("more than " + statesMax + " states of " + name);
    }
    String problem = model.problem();
    if (problem != null) {
      throw found(problem, pathTo(state));
    }
    if (model.isQuiet()) {
      quiet.add(state);
      if (outcomes.add(model.outcome()) && !model.isSequential()) {
        throw found("no order of what was done explains what was read: " + model.outcome(), pathTo(state));
      }
    }
  }

  /** From each state there is a way to one where all is done; otherwise a thread is stuck there, or things go round for ever. */
  private void checkThatAllEnd() {
    int count = states();
    int[] starts = new int[count + 2];
    for (int i = 0; i < edgesTo.size(); i++) {
      starts[edgesTo.getInt(i) + 2]++;
    }
    for (int i = 2; i < starts.length; i++) {
      starts[i] += starts[i - 1];
    }
    int[] sources = new int[edgesTo.size()];
    for (int i = 0; i < edgesTo.size(); i++) {
      sources[starts[edgesTo.getInt(i) + 1]++] = edgesFrom.getInt(i);
    }
    boolean[] ends = new boolean[count];
    int[] queue = new int[count];
    int size = 0;
    for (int i = 0; i < quiet.size(); i++) {
      ends[quiet.getInt(i)] = true;
      queue[size++] = quiet.getInt(i);
    }
    for (int at = 0; at < size; at++) {
      for (int i = starts[queue[at]]; i < starts[queue[at] + 1]; i++) {
        if (!ends[sources[i]]) {
          ends[sources[i]] = true;
          queue[size++] = sources[i];
        }
      }
    }
    for (int state = 0; state < count; state++) {
      if (!ends[state]) {
        throw found("stuck: from here it never comes to an end", pathTo(state));
      }
    }
  }

  private int[] pathTo(int state) {
    int length = 0;
    for (int at = state; parents.getInt(at) != UNKNOWN; at = parents.getInt(at)) {
      length++;
    }
    int[] codes = new int[length];
    for (int at = state; parents.getInt(at) != UNKNOWN; at = parents.getInt(at)) {
      codes[--length] = steps.getInt(at);
    }
    return codes;
  }

  private Found found(String what, int[] codes) {
    String told;
    try {
      told = tell(models.get(), codes);
    } catch (RuntimeException broken) {
      told = "the last step fails: " + broken;
    }
    return new Found(what + "\nprogram " + name + ", steps " + Arrays.toString(codes) + "\n" + told);
  }

  private static long hash(CharSequence text) {
    long hash = 0xcbf2_9ce4_8422_2325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x9e37_79b9_7f4a_7c15L;
      hash ^= hash >>> 29;
    }
    return hash == UNKNOWN ? 0 : hash;
  }
}

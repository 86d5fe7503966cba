package dev.weft.dsm.node;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.direct.DirectoryEntry;
import dev.weft.dsm.direct.LocalNode;
import dev.weft.dsm.direct.RemoteVerbs;
import dev.weft.dsm.direct.SynchronousCore;
import dev.weft.dsm.node.DirectModelVerb.Kind;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Nodes of a shared memory of two minipages, a word each, with the real cores of the synchronous engine; memory, threads and queue pairs are models. Home
 * of minipage 0 is node 0, of minipage 1 node 1. A verb's work requests are executed one by one, in order for each pair of nodes, and between any two
 * of them everything else may happen; so between two looks or stores of a thread.
 */
final class DirectModel implements Model {
  static final int WORDS = 2;
  private static final int EXECUTE = 0;
  private static final int THREAD = 1;
  private static final int RETRY = 2;
  private static final int CRASH = 3;
  private static final int LEARN = 4;
  private static final int COMPLETE = 5;
  private static final int GRANT = 6;
  private static final int NOBODY = -1;
  private static final long GRACE_NS = 1L << 40;
  private static final long[] RETRIES_NS = {1L << 30, 1L << 41};

  private static final long SERVED = DirectoryEntry.word(Rights.NONE, true);

  private final class Node implements LocalNode, RemoteVerbs {
    final int self;
    final long[] frames = new long[WORDS];
    final long[] rights = new long[WORDS];
    /** Where a bug has rights come late. */
    final byte[] late = new byte[WORDS];
    final SynchronousCore core;
    final DirectModelTakeover takeover;
    /** Its entries: lock, owner, copies of each word. Those that are not its own are closed. */
    final long[] locks = new long[WORDS];
    final long[] owners = new long[WORDS];
    final long[] copies = new long[WORDS];
    /** Verbs on this node's own memory that are done. */
    final Deque<DirectModelVerb> here = new ArrayDeque<>();
    DirectModelThread thread;
    boolean knowsOfCrash;

    Node(int self) {
      this.self = self;
      this.core = new SynchronousCore(self, this, this, GRACE_NS);
      this.takeover = new DirectModelTakeover(DirectModel.this, self, core);
      Arrays.fill(locks, plant.closesWhatIsNotItsOwn() ? DirectoryEntry.CLOSED : DirectoryEntry.FREE);
    }

    @Override
    public byte rights(int minipage) {
      return (byte) rights[minipage];
    }

    @Override
    public void grant(int minipage, byte wanted, boolean isServed) {
      if (plant.grantsBeforeUnlocking()) {
        rights[minipage] = DirectoryEntry.word(wanted, isServed);
      } else {
        late[minipage] = wanted;
      }
    }

    @Override
    public int homeOf(int minipage) {
      return knowsOfCrash ? DirectModel.this.homeOf(minipage) : minipage;
    }

    @Override
    public String nameOf(int minipage) {
      return "minipage " + minipage;
    }

    @Override
    public void lock(int home, int minipage, long lock) {
      put(home, new DirectModelVerb(Kind.LOCK, minipage, lock, DirectoryEntry.FREE, 0));
    }

    @Override
    public void unlock(int home, int minipage, long owner, long copies) {
      put(home, new DirectModelVerb(Kind.UNLOCK, minipage, owner, 0, plant.copies(copies)));
    }

    @Override
    public void revoke(int node, int minipage, long expected, byte wanted) {
      put(node, new DirectModelVerb(Kind.REVOKE, minipage, wanted, expected, 0));
    }

    @Override
    public void look(int node, int minipage, byte wanted) {
      put(node, new DirectModelVerb(Kind.LOOK, minipage, wanted, wanted, 0));
    }

    @Override
    public void fetch(int node, int minipage) {
      put(node, new DirectModelVerb(Kind.FETCH, minipage, 0, 0, 0));
    }

    void freeOf(int lost) {
      if (self < WORDS && plant.freesWhatTheLostHaveLocked() && locks[self] > DirectoryEntry.FREE && DirectoryEntry.holder(locks[self]) == lost) {
        boolean isLost = DirectoryEntry.isLostWithHolder(locks[self], rights(self)) && plant.losesWhatTheLostMayHaveWritten();
        open(self, isLost ? DirectoryEntry.LOST : owners[self], isLost ? 0 : copies[self]);
      }
    }

    void open(int word, long owner, long copiesNow) {
      owners[word] = owner;
      copies[word] = copiesNow;
      locks[word] = DirectoryEntry.FREE;
    }

    private void put(int node, DirectModelVerb verb) {
      if (node == self) {
        while (verb.done < verb.parts) {
          execute(this, verb);
        }
        here.add(verb);
      } else if (node != crashed) {
        posted[self][node].add(verb);
      }
    }
  }

  private final Program program;
  private final int crashes;
  private final DirectPlant plant;
  private final Node[] nodes;
  private final Deque<DirectModelVerb>[][] posted;
  private final Deque<DirectModelVerb>[][] answered;
  private int crashed = NOBODY;
  /** Whether a word must not be lost with the node that has crashed. */
  private final boolean[] isKept = new boolean[WORDS];
  private boolean isLostForNothing;

  /** @param crashes bit n: node n may crash, at any time; one of them does at most */
  @SuppressWarnings({"unchecked", "rawtypes"})
  DirectModel(Program program, int crashes, DirectPlant plant) {
    this.program = program;
    this.crashes = crashes;
    this.plant = plant;
    int count = program.threads().size();
    nodes = new Node[count];
    posted = new Deque[count][count];
    answered = new Deque[count][count];
    for (int n = 0; n < count; n++) {
      nodes[n] = new Node(n);
      nodes[n].thread = new DirectModelThread(this, n, program.threads().get(n));
      for (int m = 0; m < count; m++) {
        posted[n][m] = new ArrayDeque<>();
        answered[n][m] = new ArrayDeque<>();
      }
    }
    for (int word = 0; word < WORDS; word++) {
      nodes[word].open(word, DirectoryEntry.owner(word, true), 1L << word);
      nodes[word].rights[word] = Rights.WRITE;
    }
  }

  // What threads use.

  DirectPlant plant() {
    return plant;
  }

  byte rights(int node, int word) {
    return nodes[node].rights(word);
  }

  void took(int node, int word) {
    nodes[node].rights[word] &= ~SERVED;
  }

  long load(int node, int word) {
    return nodes[node].frames[word];
  }

  void store(int node, int word, long value) {
    nodes[node].frames[word] = value;
  }

  void fault(int node, Fault fault) {
    nodes[node].core.onFault(fault.minipage, fault);
    doHere(nodes[node]);
  }

  /** A push asks every node to prefetch; here that comes at once. */
  void prefetch(int node, int word, boolean isForAll) {
    for (Node each : nodes) {
      if (each.self == node || isForAll && each.self != crashed) {
        each.core.prefetch(word);
        doHere(each);
      }
    }
  }

  // Steps.

  @Override
  public int[] enabled() {
    List<Integer> codes = new ArrayList<>();
    for (int a = 0; a < nodes.length; a++) {
      for (int b = 0; b < nodes.length; b++) {
        if (!posted[a][b].isEmpty()) {
          codes.add(code(EXECUTE, a, b));
        }
        if (!answered[a][b].isEmpty()) {
          codes.add(code(COMPLETE, a, b));
        }
      }
    }
    for (int n = 0; n < nodes.length; n++) {
      if (n == crashed) {
        continue;
      }
      if (nodes[n].thread.isEnabled()) {
        codes.add(code(THREAD, n, 0));
      }
      if (nodes[n].core.retryAtNs() != SynchronousCore.NEVER) {
        codes.add(code(RETRY, n, 0));
        codes.add(code(RETRY, n, 1));
      }
      for (int word = 0; word < WORDS; word++) {
        if (nodes[n].late[word] != Rights.NONE) {
          codes.add(code(GRANT, n, word));
        }
      }
      if (crashed != NOBODY && !nodes[n].knowsOfCrash) {
        codes.add(code(LEARN, n, 0));
      } else if (crashed == NOBODY && (crashes & 1 << n) != 0) {
        codes.add(code(CRASH, n, 0));
      }
    }
    return codes.stream().mapToInt(Integer::intValue).toArray();
  }

  private static int code(int kind, int a, int b) {
    return kind << 8 | a << 4 | b;
  }

  @Override
  public String describe(int code) {
    int a = code >> 4 & 15;
    int b = code & 15;
    return switch (code >> 8) {
      case EXECUTE -> "node " + b + "'s memory sees, of node " + a + ", " + posted[a][b].peek();
      case COMPLETE -> "node " + a + " is told by node " + b + " of " + answered[a][b].peek();
      case THREAD -> "goes on: " + nodes[a].thread;
      case RETRY -> "node " + a + " tries again" + (b == 0 ? "" : ", its grace over");
      case GRANT -> "node " + a + " has its right to word " + b + " late";
      case CRASH -> "node " + a + " crashes";
      default -> "node " + a + " hears of the crash";
    };
  }

  @Override
  public void step(int code) {
    int a = code >> 4 & 15;
    int b = code & 15;
    switch (code >> 8) {
      case EXECUTE -> {
        DirectModelVerb verb = posted[a][b].peek();
        execute(nodes[b], verb);
        if (verb.kind == Kind.MESSAGE) {
          posted[a][b].poll();
          learn(nodes[b]);
          nodes[b].takeover.onMessage(a, verb.message);
        } else if (verb.done == verb.parts) {
          posted[a][b].poll();
          if (a != crashed) {
            answered[a][b].add(verb);
          }
        }
      }
      case COMPLETE -> complete(nodes[a], b, answered[a][b].poll());
      case THREAD -> nodes[a].thread.step();
      case RETRY -> nodes[a].core.retry(RETRIES_NS[b]);
      case GRANT -> {
        nodes[a].rights[b] = nodes[a].late[b];
        nodes[a].late[b] = Rights.NONE;
      }
      case CRASH -> crash(a);
      default -> learn(nodes[a]);
    }
    for (Node node : nodes) {
      doHere(node);
    }
  }

  private void doHere(Node node) {
    for (DirectModelVerb verb = node.here.poll(); verb != null; verb = node.here.poll()) {
      complete(node, node.self, verb);
    }
    if (node.knowsOfCrash && node.self != crashed) {
      node.takeover.look();
    }
  }

  void send(int from, int to, DsmMessage message) {
    if (to != crashed) {
      posted[from][to].add(new DirectModelVerb(message));
    }
  }

  /** The home of a word for those that know of the crash. */
  int homeOf(int word) {
    return crashed == word ? (word + 1) % nodes.length : word;
  }

  /** An entry is rebuilt. */
  void open(int node, int word, long owner, long copies) {
    isLostForNothing |= owner == DirectoryEntry.LOST && isKept[word];
    nodes[node].open(word, owner, copies);
  }

  /** One work request of a verb is executed at the node whose memory it is for. */
  private void execute(Node at, DirectModelVerb verb) {
    boolean isFirst = verb.done++ == 0;
    int word = verb.minipage;
    switch (verb.kind) {
      case LOCK -> {
        verb.found = plant.locksOnlyWhatIsFree() ? at.locks[word] : DirectoryEntry.FREE;
        verb.foundOwner = at.owners[word];
        verb.foundCopies = at.copies[word];
        at.locks[word] = verb.found == DirectoryEntry.FREE ? verb.value : at.locks[word];
      }
      case UNLOCK -> {
        if (isFirst == plant.freesLast()) {
          at.owners[word] = verb.value;
          at.copies[word] = verb.copies;
        } else if (plant.frees()) {
          at.locks[word] = DirectoryEntry.FREE;
        }
      }
      case REVOKE -> {
        if (isFirst == plant.looksAfterTaking()) {
          verb.found = at.rights[word];
          if (verb.found == verb.expected && plant.takes((byte) verb.value)) {
            at.rights[word] = verb.value;
          }
        } else {
          verb.isInside = at.thread.isInside(word, (byte) verb.value);
        }
      }
      case LOOK -> {
        verb.found = verb.expected;
        verb.isInside = at.thread.isInside(word, (byte) verb.value);
      }
      case FETCH -> verb.found = plant.fetches() ? at.frames[word] : 0;
      case MESSAGE -> verb.found = 0;
    }
  }

  private void complete(Node node, int from, DirectModelVerb verb) {
    switch (verb.kind) {
      case LOCK -> node.core.onLocked(verb.minipage, verb.found, verb.foundOwner, verb.foundCopies, 0);
      case UNLOCK -> node.core.onUnlocked(verb.minipage);
      case REVOKE, LOOK ->
        node.core.onRevoked(verb.minipage, from, verb.expected, verb.found, verb.isInside && plant.waitsForInsiders(), 0);
      case FETCH -> {
        node.frames[verb.minipage] = verb.found;
        node.core.onFetched(verb.minipage);
      }
      case MESSAGE -> throw new IllegalStateException("a message is no step");
    }
  }

  /** What it has posted may still be executed. */
  private void crash(int node) {
    for (int word = 0; word < WORDS; word++) {
      Node home = nodes[word];
      isKept[word] = word == node && DirectoryEntry.holder(home.locks[word]) != node && (home.copies[word] & ~(1L << node)) != 0;
    }
    crashed = node;
    for (Node other : nodes) {
      posted[other.self][node].clear();
      answered[node][other.self].clear();
    }
  }

  private void learn(Node node) {
    if (node.knowsOfCrash) {
      return;
    }
    node.knowsOfCrash = true;
    posted[crashed][node.self].clear();
    answered[node.self][crashed].clear();
    node.takeover.begin(crashed, (1L << nodes.length) - 1 & ~(1L << crashed | 1L << node.self));
    node.core.onNodeLost(crashed);
  }

  /** All others know of the crash. */
  void freeOf(int self) {
    nodes[self].freeOf(crashed);
  }

  // What must hold.

  @Override
  public String problem() {
    for (int word = 0; word < WORDS; word++) {
      int readers = 0;
      int writers = 0;
      long value = 0;
      for (Node node : nodes) {
        byte rights = node.rights(word);
        if (node.self == crashed || rights == Rights.NONE) {
          continue;
        }
        writers += rights == Rights.WRITE ? 1 : 0;
        if (readers++ > 0 && node.frames[word] != value) {
          return "copies of word " + word + " differ: " + value + " and " + node.frames[word];
        }
        value = node.frames[word];
        Node home = nodes[homeOf(word)];
        if (home.locks[word] == DirectoryEntry.FREE && home.owners[word] != DirectoryEntry.LOST && ((home.copies[word] & 1L << node.self) == 0
            || rights == Rights.WRITE && home.owners[word] != DirectoryEntry.owner(node.self, true))) {
          return "node " + node.self + " has more of word " + word + " than its entry says";
        }
      }
      if (writers > 0 && readers > 1) {
        return "of word " + word + " there are " + readers + " copies, " + writers + " of them writable";
      }
    }
    return isLostForNothing ? "a word is lost that others have" : null;
  }

  @Override
  public boolean isQuiet() {
    for (Node node : nodes) {
      if (node.self == crashed) {
        continue;
      }
      if (!node.thread.isOver() || node.core.isBusy(0, WORDS) || crashed != NOBODY && !node.knowsOfCrash) {
        return false;
      }
    }
    return Arrays.stream(posted).flatMap(Arrays::stream).allMatch(Deque::isEmpty)
        && Arrays.stream(answered).flatMap(Arrays::stream).allMatch(Deque::isEmpty);
  }

  @Override
  public String outcome() {
    StringBuilder text = new StringBuilder();
    for (Node node : nodes) {
      text.append(node.self == 0 ? "" : " | ").append(node.thread.read);
      if (node.thread.phase != DirectModelThread.Phase.DONE) {
        text.append(" of ").append(done(node.thread)).append(" done");
      }
    }
    return text.toString();
  }

  /** One that crashed has done what it had stored. */
  private static int done(DirectModelThread thread) {
    return thread.phase == DirectModelThread.Phase.STORED ? thread.at + 1 : thread.at;
  }

  @Override
  public boolean isSequential() {
    List<List<Long>> read = new ArrayList<>();
    int[] done = new int[nodes.length];
    for (Node node : nodes) {
      read.add(node.thread.read);
      done[node.self] = done(node.thread);
    }
    return program.isSequential(read, done);
  }

  @Override
  public void append(StringBuilder to) {
    to.append(crashed).append(isKept[0]).append(isKept[1]).append(isLostForNothing);
    for (Node node : nodes) {
      to.append(node.knowsOfCrash ? "\nk" : "\n").append(node.core.retryAtNs() == SynchronousCore.NEVER ? '-' : 'r');
      node.thread.append(to);
      node.takeover.append(to);
      for (int word = 0; word < WORDS; word++) {
        to.append(';').append(node.rights[word]).append('=').append(node.frames[word]).append(node.late[word]);
        to.append(',').append(node.locks[word]).append(',').append(node.owners[word]).append(',').append(node.copies[word]);
        node.core.append(word, to);
      }
      for (Node other : nodes) {
        to.append('/');
        posted[node.self][other.self].forEach(verb -> to.append(verb).append('.'));
        to.append('\\');
        answered[node.self][other.self].forEach(verb -> to.append(verb).append('.'));
      }
    }
  }
}

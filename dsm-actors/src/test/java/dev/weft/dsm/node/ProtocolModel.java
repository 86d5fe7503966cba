package dev.weft.dsm.node;

import dev.weft.dsm.access.AccessControl;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.home.HomeState;
import dev.weft.dsm.home.MovingHomes;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.member.NodeCore;
import dev.weft.dsm.member.Takeover;
import dev.weft.dsm.net.Transfers;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.HomePlacement;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Nodes of a shared memory of two minipages, a word each, with the real cores of homes and nodes; only access control, frames, threads and the network
 * are models. Minipage 0 has its home at node 0, minipage 1 at node 1. What happens next is chosen from outside, step by step: a message or RDMA
 * transfer comes out of the queue of one node to another, a thread goes on, something deferred is tried again, a node crashes, another one hears of
 * that.
 */
final class ProtocolModel implements Model {
  static final int WORDS = 2;
  private static final int DELIVER = 0;
  private static final int THREAD = 1;
  private static final int RETRY = 2;
  private static final int CRASH = 3;
  private static final int LEARN = 4;
  private static final int NOBODY = -1;

  /** What is on its way between two nodes, in order. */
  sealed interface Item {}

  record Sent(DsmMessage message) implements Item {}

  /** An RDMA Write. */
  record Written(int minipage, long value) implements Item {}

  record ReadAsked(int minipage, int op) implements Item {}

  record ReadAnswered(int minipage, int op, long value) implements Item {}

  private final class Node implements AccessControl, Transfers, Outbox {
    final int self;
    final long[] frames = new long[WORDS];
    final byte[] rights = new byte[WORDS];
    final HomeCore home;
    final MovingHomes moving;
    final NodeCore core;
    ModelThread thread;
    final Takeover takeover;
    /** By RDMA: from which node, of which word. */
    final List<int[]> reading = new ArrayList<>();
    boolean knowsOfCrash;

    Node(int self) {
      this.self = self;
      this.home = new HomeCore(self, scenario.readsByRdma(), this, this::members);
      this.moving = new MovingHomes(self, home, this, minipage -> scenario.hasMovingHomes(), this::anchorOf, () -> true);
      this.core = new NodeCore(this, moving::homeOf, this::isMoving, this, this, 1);
      core.tellHomesOf(minipage -> scenario.hasMovingHomes());
      this.takeover = new Takeover(self, this, this::isSettled, this::report, home::onGathered);
    }

    private long members() {
      return (1L << nodes.length) - 1 & ~(knowsOfCrash ? 1L << crashed : 0);
    }

    private long lost() {
      return knowsOfCrash ? 1L << crashed : 0;
    }

    private int anchorOf(int minipage) {
      return spec.homeOf(minipage, lost());
    }

    private boolean isMoving(int minipage) {
      return takeover.unreported() != 0 && spec.movesWith(crashed, minipage, lost());
    }

    private boolean isSettled(int node) {
      return reading.stream().noneMatch(read -> spec.movesWith(node, read[1], lost()));
    }

    /** As DsmMember does. */
    private void report(int node) {
      for (int word = 0; word < WORDS; word++) {
        if (rights[word] != Rights.NONE && spec.movesWith(node, word, lost())) {
          send(anchorOf(word), new DsmMessage.Holds(word, 1, rights[word]));
        }
      }
      core.resume();
    }

    @Override
    public byte rights(int minipage) {
      return rights[minipage];
    }

    @Override
    public void grant(int minipage, byte wanted) {
      rights[minipage] = wanted;
    }

    @Override
    public boolean tryRevoke(int minipage, byte wanted) {
      return plant.tryRevoke(ProtocolModel.this, self, minipage, wanted);
    }

    @Override
    public int tryProtect(int[] minipages, byte[] wanted) {
      throw new UnsupportedOperationException("not used by the protocol");
    }

    @Override
    public boolean hasServed(int minipage) {
      return thread.isServed(minipage, rights[minipage]);
    }

    @Override
    public void send(int node, DsmMessage message) {
      put(node, new Sent(message));
    }

    @Override
    public void write(int minipage, int node) {
      put(node, new Written(minipage, frames[minipage]));
    }

    @Override
    public void read(int minipage, int op, int node) {
      if (node != crashed || !knowsOfCrash) {
        reading.add(new int[] {node, minipage});
      }
      put(node, new ReadAsked(minipage, op));
    }

    private void put(int node, Item item) {
      if (node != crashed) {
        plant.post(ProtocolModel.this, self, node, item);
      }
    }
  }

  private final Scenario scenario;
  private final Plant plant;
  private final ObjectSpec spec;
  private final Node[] nodes;
  private final Deque<Item>[][] channels;
  private int crashed = NOBODY;
  /** Words that a crash cannot have taken with it. */
  private final boolean[] kept = new boolean[WORDS];

  /** @param plant used for this model only */
  @SuppressWarnings({"unchecked", "rawtypes"})
  ProtocolModel(Scenario scenario, Plant plant) {
    this.scenario = scenario;
    this.plant = plant;
    this.spec = new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", WORDS, 8, 0, 0, 0b11,
        scenario.hasMovingHomes() ? HomePlacement.DYNAMIC : HomePlacement.FIXED);
    int count = scenario.program().threads().size();
    this.nodes = new Node[count];
    this.channels = new Deque[count][count];
    for (int n = 0; n < count; n++) {
      nodes[n] = new Node(n);
      nodes[n].thread = new ModelThread(this, n, scenario.program().threads().get(n));
      for (int minipage : nodes[n].home.add(spec, 0)) {
        nodes[n].rights[minipage] = Rights.WRITE;
      }
      for (int m = 0; m < count; m++) {
        channels[n][m] = new ArrayDeque<>();
      }
    }
  }

  // What threads and planted bugs use.

  NodeCore core(int node) {
    return nodes[node].core;
  }

  byte rights(int node, int word) {
    return nodes[node].rights[word];
  }

  void setRights(int node, int word, byte rights) {
    nodes[node].rights[word] = rights;
  }

  long load(int node, int word) {
    return nodes[node].frames[word];
  }

  void store(int node, int word, long value) {
    nodes[node].frames[word] = value;
  }

  void push(int node, int word) {
    nodes[node].send(nodes[node].moving.homeOf(word), new DsmMessage.Push(word));
  }

  Plant plant() {
    return plant;
  }

  void wake(int node) {
    if (nodes[node].thread.phase == ModelThread.Phase.WAITING) {
      nodes[node].thread.fault.end();
    }
  }

  boolean hasHeardOfCrash(int node) {
    return nodes[node].knowsOfCrash;
  }

  HomeCore home(int node) {
    return nodes[node].home;
  }

  Deque<Item> channel(int from, int to) {
    return channels[from][to];
  }

  boolean tryRevoke(int node, int minipage, byte rights) {
    nodes[node].rights[minipage] = (byte) Math.min(nodes[node].rights[minipage], rights);
    return !nodes[node].thread.isInside(minipage, rights);
  }

  // Steps.

  /** Codes of what may happen now. */
  @Override
  public int[] enabled() {
    List<Integer> codes = new ArrayList<>();
    for (int from = 0; from < nodes.length; from++) {
      for (int to = 0; to < nodes.length; to++) {
        if (!channels[from][to].isEmpty()) {
          codes.add(code(DELIVER, from, to));
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
      if (nodes[n].core.hasRevocations()) {
        codes.add(code(RETRY, n, 0));
        codes.add(code(RETRY, n, 1));
      }
      if (crashed != NOBODY && !nodes[n].knowsOfCrash) {
        codes.add(code(LEARN, n, 0));
      } else if (crashed == NOBODY && scenario.mayCrash(n)) {
        codes.add(code(CRASH, n, 0));
      }
    }
    return codes.stream().mapToInt(Integer::intValue).toArray();
  }

  private static int code(int kind, int a, int b) {
    return kind << 8 | a << 4 | b;
  }

  /** What a step is, before it is taken. */
  @Override
  public String describe(int code) {
    int a = code >> 4 & 15;
    int b = code & 15;
    return switch (code >> 8) {
      case DELIVER -> "from " + a + " to " + b + " comes " + channels[a][b].peek();
      case THREAD -> "goes on: " + nodes[a].thread;
      case RETRY -> "node " + a + " tries again" + (b == 0 ? "" : ", its grace over");
      case CRASH -> "node " + a + " crashes";
      default -> "node " + a + " hears of the crash";
    };
  }

  @Override
  public void step(int code) {
    int a = code >> 4 & 15;
    int b = code & 15;
    switch (code >> 8) {
      case DELIVER -> plant.deliver(this, a, b, channels[a][b].poll());
      case THREAD -> nodes[a].thread.step();
      case RETRY -> nodes[a].core.retry(b);
      case CRASH -> crash(a);
      default -> learn(nodes[a]);
    }
  }

  /** What it has sent may still come. */
  private void crash(int node) {
    for (int word = 0; word < WORDS; word++) {
      kept[word] = survives(node, word);
    }
    crashed = node;
    for (Node other : nodes) {
      channels[other.self][node].clear();
    }
  }

  /** Another node has it, and nobody is about to take it from that one. */
  private boolean survives(int dying, int word) {
    boolean isThere = false;
    for (Node node : nodes) {
      boolean takes = node.thread.phase == ModelThread.Phase.WAITING && node.thread.fault.minipage == word && node.thread.fault.rights == Rights.WRITE;
      if (takes || node.self == dying && node.rights[word] == Rights.WRITE) {
        return false;
      }
      isThere |= node.self != dying && node.rights[word] != Rights.NONE;
    }
    return isThere;
  }

  private void learn(Node node) {
    node.knowsOfCrash = true;
    channels[crashed][node.self].clear();
    node.reading.removeIf(read -> read[0] == crashed);
    node.takeover.begin(crashed, (1L << nodes.length) - 1 & ~(1L << crashed) & ~(1L << node.self));
    if (scenario.hasMovingHomes()) {
      node.moving.reset();
      channels[node.self][node.self].removeIf(item -> item instanceof Sent(DsmMessage.OfMinipage of));
    }
    node.home.takeOver(spec, node.lost());
    node.core.onNodeLost(crashed);
    node.home.onNodeLost(crashed);
    node.takeover.look();
  }

  void deliver(int from, int to, Item item) {
    Node node = nodes[to];
    switch (item) {
      case Sent sent -> dispatch(node, from, sent.message());
      case Written written -> node.frames[written.minipage] = written.value;
      case ReadAsked asked -> node.put(from, new ReadAnswered(asked.minipage, asked.op, node.frames[asked.minipage]));
      case ReadAnswered answer -> {
        node.frames[answer.minipage] = answer.value;
        node.reading.remove(node.reading.stream().filter(read -> read[0] == from && read[1] == answer.minipage).findFirst().orElseThrow());
        node.core.onFetched(answer.minipage, answer.op);
        node.takeover.look();
      }
    }
  }

  /** As DsmMember does. */
  private void dispatch(Node node, int from, DsmMessage message) {
    boolean isUnaware = (node.takeover.unaware() & 1L << from) != 0;
    if (isUnaware && scenario.hasMovingHomes() && message instanceof DsmMessage.OfMinipage && !(message instanceof DsmMessage.Data)
        && !plant.heedsTheUnaware()) {
      return;
    }
    if (!isUnaware || plant.learnsFromTheUnaware()) {
      node.moving.see(from, message);
    }
    switch (message) {
      case DsmMessage.ReadRequest m -> node.moving.onRequest(m.minipage(), from, false, -1, -1);
      case DsmMessage.WriteRequest m -> node.moving.onRequest(m.minipage(), from, true, -1, -1);
      case DsmMessage.Sought m -> node.moving.onSought(m);
      case DsmMessage.HomeMoves m -> node.moving.onMoves(m);
      case DsmMessage.HomeIs m -> { } // It has been seen.

      case DsmMessage.Invalidated m -> node.home.onInvalidated(m.minipage(), m.op(), from);
      case DsmMessage.Confirm m -> node.home.onConfirm(m.minipage(), m.op(), from);
      case DsmMessage.Push m -> node.moving.onPush(m.minipage(), from);
      case DsmMessage.ForwardRead m -> node.core.onForwardRead(m, from, 0);
      case DsmMessage.ForwardWrite m -> node.core.onForwardWrite(m, from, 0);
      case DsmMessage.Invalidate m -> node.core.onInvalidate(m, from, 0);
      case DsmMessage.Data m -> node.core.onData(m, m.home() < 0 ? node.anchorOf(m.minipage()) : m.home());
      case DsmMessage.Grant m -> node.core.onGrant(m, from);
      case DsmMessage.Fetch m -> node.read(m.minipage(), m.op(), m.source());
      case DsmMessage.Ask m -> {
        if (!node.knowsOfCrash) {
          learn(node);
        }
        node.core.onAsk(m, from);
      }
      case DsmMessage.Lost m -> node.core.onLost(m.minipage(), "lost");
      case DsmMessage.NodeGone m -> {
        if (!node.knowsOfCrash) {
          learn(node);
        }
        node.takeover.onGone(m.node(), from);
      }
      case DsmMessage.Holds m -> node.home.onHolds(m.first(), m.count(), m.rights(), from);
      case DsmMessage.HoldsEnd m -> node.takeover.onEnd(m.node(), from);
      default -> throw new IllegalArgumentException("not of this protocol: " + message);
    }
  }

  // What must hold.

  /** What is wrong in this state; null if nothing. */
  @Override
  public String problem() {
    for (int word = 0; word < WORDS; word++) {
      int readers = 0;
      int writers = 0;
      long value = 0;
      for (Node node : nodes) {
        if (node.self != crashed && node.rights[word] != Rights.NONE) {
          writers += node.rights[word] == Rights.WRITE ? 1 : 0;
          if (readers++ > 0 && node.frames[word] != value) {
            return "copies of word " + word + " differ: " + value + " and " + node.frames[word];
          }
          value = node.frames[word];
        }
      }
      if (writers > 0 && readers > 1) {
        return "of word " + word + " there are " + readers + " copies, " + writers + " of them writable";
      }
    }
    String lostHome = scenario.hasMovingHomes() ? problemOfHomes() : null;
    if (lostHome != null) {
      return lostHome;
    }
    for (Node node : nodes) {
      if (node.self != crashed && node.thread.phase == ModelThread.Phase.FAILED && kept[node.thread.word()]) {
        return "thread " + node.self + " was told that word " + node.thread.word() + " is lost, which others have";
      }
      if (node.self != crashed && node.core.hasRevocations() && node.core.retryAtNs() == NodeCore.NEVER) {
        return "node " + node.self + " has deferred something and sets no alarm for it";
      }
    }
    return null;
  }

  /** Of nodes that know the same of a crash one is the home of a word at most, and hints lead to it, or to where it is about to be. */
  private String problemOfHomes() {
    for (int word = 0; word < WORDS; word++) {
      for (boolean knows : new boolean[] {false, true}) {
        int homes = 0;
        for (Node node : nodes) {
          homes += node.self != crashed && node.knowsOfCrash == knows && HomeState.isHome(node.home, word) ? 1 : 0;
        }
        if (homes > 1) {
          return "word " + word + " has " + homes + " homes";
        }
      }
      for (Node node : nodes) {
        if (node.self != crashed && !leadsHome(node, word)) {
          return "from node " + node.self + " hints about word " + word + " go round";
        }
      }
    }
    return null;
  }

  private boolean leadsHome(Node start, int word) {
    Node at = start;
    for (int step = 0; step <= nodes.length; step++) {
      if (at.self == crashed || at.knowsOfCrash != start.knowsOfCrash || HomeState.isHome(at.home, word) || isAboutToBeHome(at.self, word)) {
        return true;
      }
      at = nodes[at.moving.homeOf(word)];
    }
    return false;
  }

  private boolean isAboutToBeHome(int node, int word) {
    for (Node from : nodes) {
      for (Item item : channels[from.self][node]) {
        if (item instanceof Sent(DsmMessage.HomeMoves moves) && moves.minipage() == word) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether nothing is left to do, but that a node might crash. */
  @Override
  public boolean isQuiet() {
    for (Node node : nodes) {
      for (Deque<Item> channel : channels[node.self]) {
        if (!channel.isEmpty()) {
          return false;
        }
      }
      boolean isLive = node.self != crashed;
      if (isLive && (!node.thread.isOver() || node.core.hasRevocations() || node.core.waiting() > 0 || node.home.underWay() > 0
          || crashed != NOBODY && !node.knowsOfCrash)) {
        return false;
      }
    }
    return true;
  }

  /** What the threads have read, and how far they came. */
  @Override
  public String outcome() {
    StringBuilder text = new StringBuilder();
    for (Node node : nodes) {
      text.append(node.self == 0 ? "" : " | ").append(node.thread.read);
      if (node.thread.phase != ModelThread.Phase.DONE) {
        text.append(" of ").append(node.thread.at).append(" done");
      }
    }
    return text.toString();
  }

  @Override
  public boolean isSequential() {
    List<List<Long>> read = new ArrayList<>();
    int[] done = new int[nodes.length];
    for (Node node : nodes) {
      read.add(node.thread.read);
      done[node.self] = node.thread.at;
    }
    return scenario.program().isSequential(read, done);
  }

  /** All that makes a difference for what may follow; op numbers relative to the home's, so that they do not grow without bound. */
  @Override
  public void append(StringBuilder to) {
    to.append(crashed).append(kept[0] ? 'k' : '-').append(kept[1] ? 'k' : '-');
    for (Node node : nodes) {
      to.append(node.knowsOfCrash ? "\nk" : "\n");
      node.thread.append(to);
      for (int word = 0; word < WORDS; word++) {
        to.append(';').append(node.rights[word]).append('=').append(node.frames[word]);
        node.core.appendState(word, opOf(word), to);
      }
      for (int word = 0; word < WORDS; word++) {
        if (node.home.view(word) != null) {
          HomeState.append(node.home, word, to.append('h'));
          if (scenario.hasMovingHomes()) {
            to.append('@').append(age(word, HomeState.op(node.home, word)));
          }
        }
        if (scenario.hasMovingHomes() && !HomeState.isHome(node.home, word)) {
          HomeState.append(node.moving, word, to);
          to.append(',').append(age(word, HomeState.hintOf(node.moving, word)));
        }
      }
      if (scenario.program().text().contains("P")) {
        to.append('k').append(HomeState.askers(node.moving));
      }
      node.takeover.appendState(to);
      for (Deque<Item> channel : channels[node.self]) {
        to.append('/');
        channel.forEach(item -> append(item, to));
      }
    }
    plant.append(to);
  }

  private int opOf(int word) {
    if (scenario.hasMovingHomes()) {
      return opOfMoving(word);
    }
    int home = spec.homeOf(word, crashed == NOBODY ? 0 : 1L << crashed);
    return nodes[home].home.view(word) == null ? HomeState.op(nodes[word].home, word) : HomeState.op(nodes[home].home, word);
  }

  /** The highest of all, also of a home that is on its way. */
  private int opOfMoving(int word) {
    int op = 0;
    for (Node node : nodes) {
      op = HomeState.isHome(node.home, word) ? Math.max(op, HomeState.op(node.home, word)) : op;
      for (Deque<Item> channel : channels[node.self]) {
        for (Item item : channel) {
          op = item instanceof Sent(DsmMessage.HomeMoves moves) && moves.minipage() == word ? Math.max(op, moves.op()) : op;
        }
      }
    }
    return op;
  }

  /** Of an op, how many younger ones there are in hints and messages that tell of homes: only their order counts, and so there are not ever more states. */
  private int age(int word, int op) {
    Set<Integer> younger = new HashSet<>();
    for (Node node : nodes) {
      younger.add(HomeState.isHome(node.home, word) ? op : HomeState.hintOf(node.moving, word));
      younger.add(HomeState.isHome(node.home, word) ? HomeState.op(node.home, word) : op);
      for (Deque<Item> channel : channels[node.self]) {
        for (Item item : channel) {
          younger.add(item instanceof Sent(DsmMessage.HomeMoves m) && m.minipage() == word ? m.op()
              : item instanceof Sent(DsmMessage.HomeIs is) && is.minipage() == word ? is.op() : op);
        }
      }
    }
    younger.removeIf(other -> other <= op);
    return younger.size();
  }

  /** Whether an op is the home's present one, or how long ago it was. */
  private int relative(int word, int op) {
    return Math.max(op - opOf(word), -3);
  }

  private void append(Item item, StringBuilder to) {
    switch (item) {
      case Sent sent -> append(sent.message(), to);
      case Written m -> to.append('w').append(m.minipage).append(m.value);
      case ReadAsked m -> to.append('r').append(m.minipage).append(relative(m.minipage, m.op));
      case ReadAnswered m -> to.append('a').append(m.minipage).append(relative(m.minipage, m.op)).append(',').append(m.value);
    }
    to.append('.');
  }

  private void append(DsmMessage message, StringBuilder to) {
    switch (message) {
      case DsmMessage.ReadRequest m -> to.append('R').append(m.minipage());
      case DsmMessage.WriteRequest m -> to.append('W').append(m.minipage());
      case DsmMessage.Push m -> to.append('P').append(m.minipage());
      case DsmMessage.Lost m -> to.append('L').append(m.minipage());
      case DsmMessage.Invalidated m -> to.append('J').append(m.minipage()).append(relative(m.minipage(), m.op()));
      case DsmMessage.Confirm m -> to.append('C').append(m.minipage()).append(relative(m.minipage(), m.op()));
      case DsmMessage.ForwardRead m -> to.append('f').append(m.minipage()).append(relative(m.minipage(), m.op())).append('>').append(m.requester());
      case DsmMessage.ForwardWrite m -> to.append('F').append(m.minipage()).append(relative(m.minipage(), m.op())).append('>').append(m.requester());
      case DsmMessage.Invalidate m -> to.append('I').append(m.minipage()).append(relative(m.minipage(), m.op()));
      case DsmMessage.Data m -> to.append('D').append(m.minipage()).append(relative(m.minipage(), m.op())).append(m.writable()).append(m.home());
      case DsmMessage.Grant m -> to.append('G').append(m.minipage()).append(relative(m.minipage(), m.op())).append(m.writable());
      case DsmMessage.Fetch m -> to.append('H').append(m.minipage()).append(relative(m.minipage(), m.op())).append('<').append(m.source());
      case DsmMessage.Sought m -> to.append('S').append(m.minipage()).append(m.requester()).append(m.wanted()).append(m.hops()).append(',').append(m.path());
      case DsmMessage.HomeMoves m -> to.append('V').append(m.minipage()).append(age(m.minipage(), m.op())).append(',').append(m.path());
      case DsmMessage.HomeIs m -> to.append('U').append(m.minipage()).append(age(m.minipage(), m.op()));
      case DsmMessage.NodeGone m -> to.append('N');
      case DsmMessage.Holds m -> to.append('O').append(m.first()).append(m.rights());
      case DsmMessage.HoldsEnd m -> to.append('E');
      case DsmMessage.Ask m -> to.append('A').append(m.minipage()).append(relative(m.minipage(), m.op()));
      default -> throw new IllegalArgumentException("not of this protocol: " + message);
    }
  }
}

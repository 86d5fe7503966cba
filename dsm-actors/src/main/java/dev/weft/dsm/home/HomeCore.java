package dev.weft.dsm.home;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.home.HomeEntry.Request;
import dev.weft.dsm.sharing.HomeObserver;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The home of the minipages that one node is responsible for. At first the home itself has a minipage, with the right to write.
 *
 * <p>Bound: a node asks for a minipage at most once at a time for reading and once for writing. So a queue has at most two entries for each node, and
 * those of a push.
 */
public final class HomeCore {
  private final int self;
  private final Outbox outbox;
  private final LongSupplier members;
  private final LongSupplier staying;
  private final HomeObserver observer;
  private final MinipageService service;
  private final Int2ObjectHashMap<HomeEntry> entries = new Int2ObjectHashMap<>();
  /** Minipages whose holders this home does not know yet. */
  private final List<Integer> gathering = new ArrayList<>();
  private long requests;
  private long stale;
  private long served;
  private long hops;
  private Succession succession = Succession.NONE;

  /** Where homes move when a write is confirmed. */
  interface Succession {
    /** Homes do not move. */
    Succession NONE = new Succession() {
      @Override
      public boolean follows(int minipage, int writer) {
        return false;
      }

      @Override
      public void moved(int minipage, HomeEntry entry, Request served, long takenFrom) {}
    };

    /** Whether {@code writer} becomes the home. */
    boolean follows(int minipage, int writer);

    /** Moves the home to the writer. */
    void moved(int minipage, HomeEntry entry, Request served, long takenFrom);
  }

  /**
   * @param readsByRdma whether a requester reads by RDMA a minipage that no node writes, so that its owner is not disturbed
   * @param members bits of the nodes that are present
   */
  public HomeCore(int self, boolean readsByRdma, Outbox outbox, LongSupplier members) {
    this(self, readsByRdma, outbox, members, HomeObserver.NONE);
  }

  /** The same with an observer. */
  public HomeCore(int self, boolean readsByRdma, Outbox outbox, LongSupplier members, HomeObserver observer) {
    this(self, readsByRdma, outbox, members, members, observer);
  }

  /**
   * The same with the nodes that stay.
   *
   * @param staying bits of the nodes that are present and are not about to leave
   */
  public HomeCore(int self, boolean readsByRdma, Outbox outbox, LongSupplier members, LongSupplier staying, HomeObserver observer) {
    this.staying = staying;
    this.observer = observer;
    this.self = self;
    this.outbox = outbox;
    this.members = members;
    this.service = new MinipageService(self, readsByRdma, outbox, members, staying);
  }

  void moveBy(Succession rule) {
    succession = rule;
  }

  /** Whether this node is the home of a minipage. */
  boolean has(int minipage) {
    return entries.containsKey(minipage);
  }

  /** This node becomes the home of a minipage. */
  void receive(DsmMessage.HomeMoves move) {
    HomeEntry entry = new HomeEntry(self);
    entry.op = move.op();
    entries.put(move.minipage(), entry);
    observer.moved(move.minipage(), move.takenFrom());
  }

  /**
   * Adds the minipages of a new array whose home this node is; returns them.
   *
   * @param lost bits of the nodes that are lost
   */
  public List<Integer> add(ObjectSpec spec, long lost) {
    List<Integer> mine = new ArrayList<>();
    for (int i = 0; i < spec.minipages(); i++) {
      if (spec.homeOf(i, lost) == self) {
        entries.put(spec.firstMinipage() + i, new HomeEntry(self));
        mine.add(spec.firstMinipage() + i);
      }
    }
    return mine;
  }

  /**
   * Delays requests for the minipages that {@link #add} returned until this home knows the holders of other arrays. Not all nodes know yet that a
   * node is lost.
   */
  public void serveLater(List<Integer> added) {
    for (int minipage : added) {
      entries.get(minipage).gathering = true;
      entries.get(minipage).isNew = true;
      gathering.add(minipage);
    }
  }

  /**
   * Takes the place of a home that was lost, or becomes the home again of minipages whose homes had moved. Requests wait until this home knows which
   * nodes have the minipages.
   *
   * @param lost bits of all lost nodes
   */
  public void takeOver(ObjectSpec spec, long lost) {
    if (spec.isDynamic()) {
      remove(spec);
      gathering.removeIf(spec::hasMinipage);
    }
    for (int i = 0; i < spec.minipages(); i++) {
      int minipage = spec.firstMinipage() + i;
      if (spec.homeOf(i, lost) == self && !entries.containsKey(minipage)) {
        entries.put(minipage, new HomeEntry());
        gathering.add(minipage);
      }
    }
  }

  /** A node reports its rights to minipages that this home has taken over. */
  public void onHolds(int first, int count, byte rights, int from) {
    for (int minipage = first; minipage < first + count; minipage++) {
      HomeEntry entry = entries.get(minipage);
      if (entry != null && entry.gathering && !entry.isNew) {
        entry.copies |= HomeEntry.bit(from);
        if (rights == Rights.WRITE) {
          entry.owner = from;
          entry.exclusive = true;
        }
      }
    }
  }

  /** All nodes have reported their rights: begins to serve the minipages that this home has taken over. */
  public void onGathered() {
    List<Integer> known = List.copyOf(gathering);
    gathering.clear();
    for (int minipage : known) {
      HomeEntry entry = entries.get(minipage);
      if (entry != null) {
        entry.gathering = false;
        entry.isNew = false;
        entry.copies &= members.getAsLong();
        if (entry.copies == 0) {
          service.lose(entry);
        } else if ((entry.copies & HomeEntry.bit(entry.owner)) == 0) {
          entry.exclusive = false;
          entry.owner = Long.numberOfTrailingZeros(entry.copies);
        }
        service.next(minipage, entry);
      }
    }
  }

  /** This node is about to leave, so it is the home of nothing any more. */
  public void retire() {
    entries.clear();
    gathering.clear();
  }

  /** A leaving node asks this home to report when other nodes have these minipages, too. */
  public void onEvacuate(DsmMessage.Evacuate wanted, int from) {
    for (int minipage = wanted.first(); minipage < wanted.first() + wanted.count(); minipage++) {
      HomeEntry entry = entries.get(minipage);
      if (entry == null) {
        outbox.send(from, new DsmMessage.Safe(minipage, wanted.round())); // Freed meanwhile.
      } else {
        entry.waiting.add(Request.toLeave(from, wanted.round()));
        service.next(minipage, entry);
      }
    }
  }

  /** Forgets an array. */
  public void remove(ObjectSpec spec) {
    for (int i = 0; i < spec.minipages(); i++) {
      HomeEntry entry = entries.remove(spec.firstMinipage() + i);
      if (entry != null && entry.lost) {
        service.forgetLost();
      }
    }
  }

  /** A node wants a minipage. */
  public void onRequest(int minipage, int from, boolean isWrite) {
    onRequest(minipage, from, isWrite, HomeObserver.NO_WORD, HomeObserver.NO_WORD);
  }

  /** The same with the words that the node's threads want, for the observer. */
  public void onRequest(int minipage, int from, boolean isWrite, int firstWord, int lastWord) {
    onRequest(minipage, from, isWrite, firstWord, lastWord, from == self ? 0 : 1);
  }

  /** The same for a request that took {@code byHops} messages in sequence to get here. */
  void onRequest(int minipage, int from, boolean isWrite, int firstWord, int lastWord, int byHops) {
    onRequest(minipage, new Request(from, isWrite, -1, false, byHops, 0), false, firstWord, lastWord);
  }

  /** The same for a request that other nodes passed on to this home. */
  void onRequest(DsmMessage.Sought sought, int byHops) {
    onRequest(sought.minipage(), new Request(sought.requester(), sought.wanted() == DsmMessage.Wanted.WRITE, -1, false, byHops, sought.path()),
        sought.isKnown(), sought.firstWord(), sought.lastWord());
  }

  private void onRequest(int minipage, Request request, boolean isKnown, int firstWord, int lastWord) {
    HomeEntry entry = entries.get(minipage);
    if (entry == null) {
      return; // Freed meanwhile; the requester learns it from the free.
    }
    if (entry.hasWaiting(request.from(), request.isWrite())) {
      stale++; // One answer is enough, and repeated requests must not fill the queue.
      return;
    }
    if (!isKnown) {
      requests++;
      observer.asked(minipage, request.from(), request.isWrite(), firstWord, lastWord);
    }
    entry.waiting.add(request);
    service.next(minipage, entry);
  }

  /** Gives all nodes a readable copy. */
  public void onPush(int minipage) {
    onPush(minipage, -1L);
  }

  /** Gives the nodes of {@code among} a readable copy. */
  void onPush(int minipage, long among) {
    HomeEntry entry = entries.get(minipage);
    if (entry != null && !entry.lost && !entry.gathering) {
      for (long left = staying.getAsLong() & among & ~entry.copies; left != 0; left &= left - 1) {
        int node = Long.numberOfTrailingZeros(left);
        if (!entry.hasWaiting(node, false)) {
          entry.waiting.add(new Request(node, false));
        }
      }
      service.next(minipage, entry);
    }
  }

  /** A node has given its copy up, or has answered {@link DsmMessage.Ask} that it has none. */
  public void onInvalidated(int minipage, int op, int from) {
    HomeEntry entry = entries.get(minipage);
    if (entry == null || entry.current == null || entry.op != op || !service.onInvalidated(minipage, entry, from)) {
      stale++;
    }
  }

  /** The requester has what it asked for. */
  public void onConfirm(int minipage, int op, int from) {
    HomeEntry entry = entries.get(minipage);
    if (entry == null || entry.current == null || entry.op != op || entry.current.from() != from) {
      stale++;
      return;
    }
    Request current = entry.current;
    served++;
    hops += entry.hops(self, service.isFetched(entry));
    if (current.isWrite()) {
      long former = entry.source < 0 ? 0 : HomeEntry.bit(entry.source);
      observer.served(minipage, from, true, entry.source, (entry.invalidated | former) & ~HomeEntry.bit(from));
      entry.owner = from;
      entry.copies = HomeEntry.bit(from);
      entry.exclusive = true;
    } else {
      observer.served(minipage, from, false, entry.source, 0);
      entry.copies |= HomeEntry.bit(from);
      if ((entry.copies & HomeEntry.bit(entry.owner)) == 0) {
        entry.owner = from;
      }
    }
    entry.current = null;
    if (current.isWrite() && succession.follows(minipage, from)) {
      entries.remove(minipage);
      succession.moved(minipage, entry, current, observer.takenFrom(minipage));
    } else {
      service.next(minipage, entry);
    }
  }

  /** A node is lost. No message of it will come, and {@code members} does not contain it. Returns the minipages that are lost with it. */
  public List<Integer> onNodeLost(int node) {
    List<Integer> lost = new ArrayList<>();
    for (int minipage : entries.keySet().stream().mapToInt(Integer::intValue).sorted().toArray()) {
      HomeEntry entry = entries.get(minipage);
      boolean was = entry.lost;
      service.onNodeLost(minipage, entry, node);
      if (entry.lost && !was) {
        lost.add(minipage);
      }
    }
    return lost;
  }

  /** Number of requests for minipages. */
  public long requests() {
    return requests;
  }

  /** How often an owner had to send data. */
  public long forwards() {
    return service.forwards();
  }

  /** How often a requester read by RDMA. */
  public long fetches() {
    return service.fetches();
  }

  /** Number of copies that were given up. */
  public long invalidations() {
    return service.invalidations();
  }

  /** Number of confirmed requests. */
  public long served() {
    return served;
  }

  /** Messages in sequence that the confirmed requests waited for, from the request to the data; a read by RDMA counts two. */
  public long hops() {
    return hops;
  }

  /** Number of answers that came too late. */
  public long stale() {
    return stale;
  }

  /** Number of minipages of this home. */
  public int minipages() {
    return entries.size();
  }

  /** Number of minipages of this home that have no copy. */
  public int lostCount() {
    return service.lostCount();
  }

  /** Number of requests that wait or are being served. */
  public int underWay() {
    int count = 0;
    for (HomeEntry entry : entries.values()) {
      count += entry.waiting.size() + (entry.current == null ? 0 : 1);
    }
    return count;
  }

  /** The state of a minipage, for checkers: bits of the nodes with copies, and the node that may write, or -1. */
  public record View(long copies, int writer, boolean isBusy, boolean isLost) {}

  /** The state of a minipage; null if this node is not its home. */
  public View view(int minipage) {
    HomeEntry entry = entries.get(minipage);
    return entry == null ? null
        : new View(entry.copies, entry.exclusive ? entry.owner : -1, entry.current != null || !entry.waiting.isEmpty(), entry.lost);
  }

  /** Numbers of minipages: one node may write, some nodes may read, no copy is left. {@code busy} of them are being served. */
  public record States(int writable, int readable, int lost, int busy) {}

  /** Counts all minipages; takes some milliseconds for hundreds of thousands. */
  public States states() {
    int writable = 0;
    int lost = 0;
    int busy = 0;
    for (HomeEntry entry : entries.values()) {
      writable += entry.exclusive ? 1 : 0;
      lost += entry.lost ? 1 : 0;
      busy += entry.current == null ? 0 : 1;
    }
    return new States(writable, entries.size() - writable - lost, lost, busy);
  }

  /** Called with a minipage for which a request is being served. */
  @FunctionalInterface
  public interface BusyVisitor {
    void busy(int minipage, int requester, boolean isWrite, String stage, int waiting);
  }

  /** Visits at most {@code max} minipages for which a request is being served. */
  public void visitBusy(int max, BusyVisitor visitor) {
    int left = max;
    for (int minipage : entries.keySet()) {
      HomeEntry entry = entries.get(minipage);
      if (entry.current != null && left-- > 0) {
        visitor.busy(minipage, entry.current.from(), entry.current.isWrite(), entry.stage.name().toLowerCase(java.util.Locale.ROOT), entry.waiting.size());
      }
    }
  }

  /** Number of the current operation on a minipage. */
  int op(int minipage) {
    return entries.get(minipage).op;
  }

  /** Appends the state of a minipage except {@link #op}, for checkers. */
  void appendState(int minipage, StringBuilder to) {
    entries.get(minipage).appendState(to);
  }
}

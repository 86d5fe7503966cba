package dev.weft.dsm.home;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.home.HomeEntry.Request;
import dev.weft.dsm.home.HomeEntry.Stage;
import dev.weft.dsm.sharing.HomeObserver;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The home of the minipages that one node looks after. A minipage belongs to its home first, with the right to write.
 *
 * <p>Bound: a node asks at most once at a time for reading and once for writing a minipage, so a queue has at most two entries for each node, and
 * those of a push.
 */
public final class HomeCore {
  private final int self;
  private final boolean readsByRdma;
  private final Outbox outbox;
  private final LongSupplier members;
  private final LongSupplier staying;
  private final HomeObserver observer;
  private final Int2ObjectHashMap<HomeEntry> entries = new Int2ObjectHashMap<>();
  /** Minipages of which it is not known yet who has them. */
  private final List<Integer> gathering = new ArrayList<>();
  private long requests;
  private long forwards;
  private long fetches;
  private long invalidations;
  private long stale;
  private long served;
  private long hops;
  private int lostCount;
  private Succession succession = Succession.NONE;

  /** Where homes go when a write is confirmed. */
  interface Succession {
    /** They stay. */
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

    /** It does. */
    void moved(int minipage, HomeEntry entry, Request served, long takenFrom);
  }

  /**
   * @param readsByRdma whether a requester reads by RDMA what does not change, so that its owner is not disturbed
   * @param members bits of the nodes that are there
   */
  public HomeCore(int self, boolean readsByRdma, Outbox outbox, LongSupplier members) {
    this(self, readsByRdma, outbox, members, HomeObserver.NONE);
  }

  /** The same, and {@code observer} is told what happens. */
  public HomeCore(int self, boolean readsByRdma, Outbox outbox, LongSupplier members, HomeObserver observer) {
    this(self, readsByRdma, outbox, members, members, observer);
  }

  /**
   * The same.
   *
   * @param staying bits of those that are there and are not about to leave
   */
  public HomeCore(int self, boolean readsByRdma, Outbox outbox, LongSupplier members, LongSupplier staying, HomeObserver observer) {
    this.staying = staying;
    this.observer = observer;
    this.self = self;
    this.readsByRdma = readsByRdma;
    this.outbox = outbox;
    this.members = members;
  }

  void moveBy(Succession rule) {
    succession = rule;
  }

  /** Whether this is the home of a minipage. */
  boolean has(int minipage) {
    return entries.containsKey(minipage);
  }

  /** The home of a minipage has moved here. */
  void receive(DsmMessage.HomeMoves move) {
    HomeEntry entry = new HomeEntry(self);
    entry.op = move.op();
    entries.put(move.minipage(), entry);
    observer.moved(move.minipage(), move.takenFrom());
  }

  static long bit(int node) {
    return 1L << node;
  }

  /**
   * Takes the minipages of a new array whose home this node is; answers them.
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

  /** What {@link #add} has just answered is served when it is known who has what of other arrays: not all nodes know yet that a node is lost. */
  public void serveLater(List<Integer> added) {
    for (int minipage : added) {
      entries.get(minipage).gathering = true;
      entries.get(minipage).isNew = true;
      gathering.add(minipage);
    }
  }

  /**
   * Takes the place of another home that was lost, or is the home again of what had moved. What is asked for waits until it is known who has what.
   *
   * @param lost bits of all that are lost
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

  /** A node says what it has of minipages that this home has taken over. */
  public void onHolds(int first, int count, byte rights, int from) {
    for (int minipage = first; minipage < first + count; minipage++) {
      HomeEntry entry = entries.get(minipage);
      if (entry != null && entry.gathering && !entry.isNew) {
        entry.copies |= bit(from);
        if (rights == Rights.WRITE) {
          entry.owner = from;
          entry.exclusive = true;
        }
      }
    }
  }

  /** All nodes have said what they have: begins to serve what was taken over. */
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
          lose(entry);
        } else if ((entry.copies & bit(entry.owner)) == 0) {
          entry.exclusive = false;
          entry.owner = Long.numberOfTrailingZeros(entry.copies);
        }
        next(minipage, entry);
      }
    }
  }

  /** This node is the home of nothing any more, because it is about to leave. */
  public void retire() {
    entries.clear();
    gathering.clear();
  }

  /** A node that has retired wants to know when others have these minipages, and no longer it alone. */
  public void onEvacuate(DsmMessage.Evacuate wanted, int from) {
    for (int minipage = wanted.first(); minipage < wanted.first() + wanted.count(); minipage++) {
      HomeEntry entry = entries.get(minipage);
      if (entry == null) {
        outbox.send(from, new DsmMessage.Safe(minipage, wanted.round())); // Freed meanwhile.
      } else {
        entry.waiting.add(Request.toLeave(from, wanted.round()));
        next(minipage, entry);
      }
    }
  }

  /** Answers one that leaves, or what must be served before: this node takes a copy itself. */
  private Request beforeMark(int minipage, HomeEntry entry, Request mark) {
    boolean hasCopy = (entry.copies & bit(mark.from())) != 0;
    boolean isAlone = (entry.copies & staying.getAsLong() & ~bit(mark.from())) == 0;
    if (hasCopy && isAlone && (staying.getAsLong() & bit(self)) != 0) {
      if (mark.isServedBefore()) {
        return null; // That did not help: the one that leaves will say that it could not give this away.
      }
      entry.waiting.addFirst(mark.servedBefore());
      return new Request(self, false);
    }
    outbox.send(mark.from(), new DsmMessage.Safe(minipage, mark.mark()));
    return null;
  }

  /** Forgets an array. */
  public void remove(ObjectSpec spec) {
    for (int i = 0; i < spec.minipages(); i++) {
      HomeEntry entry = entries.remove(spec.firstMinipage() + i);
      lostCount -= entry != null && entry.lost ? 1 : 0;
    }
  }

  /** A node wants a minipage. */
  public void onRequest(int minipage, int from, boolean isWrite) {
    onRequest(minipage, from, isWrite, HomeObserver.NO_WORD, HomeObserver.NO_WORD);
  }

  /** The same, with the words that its threads want, for the observer. */
  public void onRequest(int minipage, int from, boolean isWrite, int firstWord, int lastWord) {
    onRequest(minipage, from, isWrite, firstWord, lastWord, from == self ? 0 : 1);
  }

  /** The same, which has come by that many messages, one after the other. */
  void onRequest(int minipage, int from, boolean isWrite, int firstWord, int lastWord, int byHops) {
    onRequest(minipage, new Request(from, isWrite, -1, false, byHops, 0), false, firstWord, lastWord);
  }

  /** The same, which has been looking for this home. */
  void onRequest(DsmMessage.Sought sought, int byHops) {
    onRequest(sought.minipage(), new Request(sought.requester(), sought.wanted() == DsmMessage.Wanted.WRITE, -1, false, byHops, sought.path()),
        sought.isKnown(), sought.firstWord(), sought.lastWord());
  }

  private void onRequest(int minipage, Request request, boolean isKnown, int firstWord, int lastWord) {
    HomeEntry entry = entries.get(minipage);
    if (entry == null) {
      return; // Freed meanwhile; who asks is told so by that.
    }
    if (entry.hasWaiting(request.from(), request.isWrite())) {
      stale++; // One answer is enough; and what is asked for again and again must not fill the queue.
      return;
    }
    if (!isKnown) {
      requests++;
      observer.asked(minipage, request.from(), request.isWrite(), firstWord, lastWord);
    }
    entry.waiting.add(request);
    next(minipage, entry);
  }

  /** Everybody gets a copy to read. */
  public void onPush(int minipage) {
    onPush(minipage, -1L);
  }

  /** The same for those of {@code among} only. */
  void onPush(int minipage, long among) {
    HomeEntry entry = entries.get(minipage);
    if (entry != null && !entry.lost && !entry.gathering) {
      for (long left = staying.getAsLong() & among & ~entry.copies; left != 0; left &= left - 1) {
        int node = Long.numberOfTrailingZeros(left);
        if (!entry.hasWaiting(node, false)) {
          entry.waiting.add(new Request(node, false));
        }
      }
      next(minipage, entry);
    }
  }

  private void next(int minipage, HomeEntry entry) {
    while (entry.current == null && !entry.waiting.isEmpty() && !entry.gathering) {
      Request request = entry.waiting.poll();
      if (request.mark() >= 0) {
        request = beforeMark(minipage, entry, request);
        if (request == null) {
          continue;
        }
      }
      entry.op++;
      if (entry.lost) {
        outbox.send(request.from(), new DsmMessage.Lost(minipage));
      } else if ((members.getAsLong() & bit(request.from())) != 0) {
        entry.current = request;
        entry.invalidated = 0;
        if (request.isWrite()) {
          startWrite(minipage, entry);
        } else {
          startRead(minipage, entry);
        }
      }
    }
  }

  private void startRead(int minipage, HomeEntry entry) {
    int from = entry.current.from();
    entry.stage = Stage.SERVING;
    entry.source = -1;
    entry.wasExclusive = entry.exclusive;
    if ((entry.copies & bit(from)) != 0) {
      outbox.send(from, new DsmMessage.Grant(minipage, entry.op, entry.exclusive && entry.owner == from));
      return;
    }
    boolean isStable = !entry.exclusive;
    entry.source = (entry.copies & bit(self)) != 0 ? self : entry.owner;
    entry.exclusive = false;
    if (isStable && readsByRdma && entry.source != self) {
      fetches++;
      outbox.send(from, new DsmMessage.Fetch(minipage, entry.op, entry.source));
    } else {
      forwards++;
      outbox.send(entry.source, new DsmMessage.ForwardRead(minipage, entry.op, from));
    }
  }

  private void startWrite(int minipage, HomeEntry entry) {
    int from = entry.current.from();
    boolean hasCopy = (entry.copies & bit(from)) != 0;
    entry.source = hasCopy ? -1 : entry.owner;
    entry.invalidating = entry.copies & ~bit(from) & (hasCopy ? -1L : ~bit(entry.owner));
    entry.invalidated = entry.invalidating;
    entry.stage = Stage.INVALIDATING;
    for (long left = entry.invalidating; left != 0; left &= left - 1) {
      invalidations++;
      outbox.send(Long.numberOfTrailingZeros(left), new DsmMessage.Invalidate(minipage, entry.op));
    }
    serveWrite(minipage, entry);
  }

  /** When nobody else may read it any more. */
  private void serveWrite(int minipage, HomeEntry entry) {
    if (entry.invalidating != 0) {
      return;
    }
    entry.stage = Stage.SERVING;
    if (entry.source < 0) {
      outbox.send(entry.current.from(), new DsmMessage.Grant(minipage, entry.op, true));
    } else {
      forwards++;
      outbox.send(entry.source, new DsmMessage.ForwardWrite(minipage, entry.op, entry.current.from()));
    }
  }

  /** A node has given its copy up; or, asked whether it has one, says no. */
  public void onInvalidated(int minipage, int op, int from) {
    HomeEntry entry = entries.get(minipage);
    if (entry == null || entry.current == null || entry.op != op) {
      stale++;
    } else if (entry.stage == Stage.ASKING && entry.current.from() == from) {
      serveFromAnother(minipage, entry);
      next(minipage, entry);
    } else if (entry.stage == Stage.INVALIDATING && (entry.invalidating & bit(from)) != 0) {
      entry.invalidating &= ~bit(from);
      entry.copies &= ~bit(from);
      serveWrite(minipage, entry);
    } else {
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
    hops += entry.hops(self, isFetched(entry));
    if (current.isWrite()) {
      long former = entry.source < 0 ? 0 : bit(entry.source);
      observer.served(minipage, from, true, entry.source, (entry.invalidated | former) & ~bit(from));
      entry.owner = from;
      entry.copies = bit(from);
      entry.exclusive = true;
    } else {
      observer.served(minipage, from, false, entry.source, 0);
      entry.copies |= bit(from);
      if ((entry.copies & bit(entry.owner)) == 0) {
        entry.owner = from;
      }
    }
    entry.current = null;
    if (current.isWrite() && succession.follows(minipage, from)) {
      entries.remove(minipage);
      succession.moved(minipage, entry, current, observer.takenFrom(minipage));
    } else {
      next(minipage, entry);
    }
  }

  private boolean isFetched(HomeEntry entry) {
    return !entry.current.isWrite() && !entry.wasExclusive && readsByRdma && entry.source >= 0 && entry.source != self;
  }

  private void lose(HomeEntry entry) {
    if (!entry.lost) {
      entry.lost = true;
      lostCount++;
    }
    entry.copies = 0;
    entry.exclusive = false;
  }

  /** A node is there no more, and nothing of it will come; {@code members} does not have it. Answers the minipages that are lost with it. */
  public List<Integer> onNodeLost(int node) {
    List<Integer> lost = new ArrayList<>();
    for (int minipage : entries.keySet().stream().mapToInt(Integer::intValue).sorted().toArray()) {
      HomeEntry entry = entries.get(minipage);
      boolean was = entry.lost;
      onNodeLost(minipage, entry, node);
      if (entry.lost && !was) {
        lost.add(minipage);
      }
    }
    return lost;
  }

  private void onNodeLost(int minipage, HomeEntry entry, int node) {
    entry.waiting.removeIf(request -> request.from() == node);
    entry.copies &= ~bit(node);
    if (entry.gathering) {
      return;
    }
    if (entry.current == null) {
      chooseOwner(entry, node);
    } else if (entry.current.from() == node) {
      requesterLost(minipage, entry);
    } else if (entry.stage == Stage.INVALIDATING) {
      if (entry.source == node) {
        serveFromAnother(minipage, entry);
      } else {
        entry.invalidating &= ~bit(node);
        serveWrite(minipage, entry);
      }
    } else if (entry.stage == Stage.SERVING && entry.source == node) {
      entry.stage = Stage.ASKING;
      entry.op++;
      outbox.send(entry.current.from(), new DsmMessage.Ask(minipage, entry.op, node));
    }
    next(minipage, entry);
  }

  /** Nothing is under way: another copy takes the owner's place, or there is none. */
  private void chooseOwner(HomeEntry entry, int node) {
    if (entry.owner != node || entry.lost) {
      return;
    }
    entry.exclusive = false;
    if (entry.copies == 0) {
      lose(entry);
    } else {
      entry.owner = Long.numberOfTrailingZeros(entry.copies);
    }
  }

  /** Those of some nodes that stay, if there are any. */
  private long rather(long nodes) {
    long stay = nodes & staying.getAsLong();
    return stay == 0 ? nodes : stay;
  }

  private void requesterLost(int minipage, HomeEntry entry) {
    boolean isWrite = entry.current.isWrite();
    if (entry.stage == Stage.INVALIDATING) {
      // Nobody has written: who gave its copy up has the data still, and gets it back.
      long keepers = rather(entry.invalidated & members.getAsLong());
      if (entry.source < 0 && keepers != 0) {
        boolean ownerKeeps = (keepers & bit(entry.owner)) != 0;
        entry.current = new Request(ownerKeeps ? entry.owner : Long.numberOfTrailingZeros(keepers), true);
        serveWrite(minipage, entry);
        return;
      }
      entry.current = null; // Who has not answered yet may read still, so it counts as one that has a copy.
      chooseOwner(entry, entry.copies == 0 ? entry.owner : -1);
      return;
    }
    entry.current = null;
    entry.op++;
    if (isWrite) {
      lose(entry); // It may have written, and others may have seen what followed from that.
    } else {
      entry.exclusive = entry.wasExclusive && entry.copies == bit(entry.owner); // The owner may not have given up yet that it may write.
      chooseOwner(entry, (entry.copies & bit(entry.owner)) == 0 ? entry.owner : -1);
    }
  }

  /** The requester has no copy, and who should send it is gone. */
  private void serveFromAnother(int minipage, HomeEntry entry) {
    // For a write, the frame of one that gives its copy up is good until somebody writes.
    long keepers = rather((entry.current.isWrite() ? entry.invalidated : entry.copies) & members.getAsLong());
    if (keepers == 0) {
      int from = entry.current.from();
      entry.current = null;
      lose(entry);
      outbox.send(from, new DsmMessage.Lost(minipage));
      return;
    }
    int keeper = Long.numberOfTrailingZeros(keepers);
    if (entry.current.isWrite()) {
      entry.source = keeper;
      serveWrite(minipage, entry);
    } else {
      entry.owner = keeper;
      entry.op++;
      startRead(minipage, entry);
    }
  }

  /** How often minipages were asked for. */
  public long requests() {
    return requests;
  }

  /** How often owners were disturbed for data. */
  public long forwards() {
    return forwards;
  }

  /** How often requesters read by RDMA. */
  public long fetches() {
    return fetches;
  }

  /** Copies that were given up. */
  public long invalidations() {
    return invalidations;
  }

  /** Requests that were confirmed. */
  public long served() {
    return served;
  }

  /** Messages that these waited for one after the other, from the request to the data; a read by RDMA is two. */
  public long hops() {
    return hops;
  }

  /** Answers that came too late. */
  public long stale() {
    return stale;
  }

  /** Minipages of this home. */
  public int minipages() {
    return entries.size();
  }

  /** Of these, without a copy. */
  public int lostCount() {
    return lostCount;
  }

  /** Requests that wait or are served now. */
  public int underWay() {
    int count = 0;
    for (HomeEntry entry : entries.values()) {
      count += entry.waiting.size() + (entry.current == null ? 0 : 1);
    }
    return count;
  }

  /** What {@link #add} and all that followed has made of a minipage, for checkers: bits of the nodes with copies, and who may write, or -1. */
  public record View(long copies, int writer, boolean isBusy, boolean isLost) {}

  /** The state of a minipage; null if this is not its home. */
  public View view(int minipage) {
    HomeEntry entry = entries.get(minipage);
    return entry == null ? null
        : new View(entry.copies, entry.exclusive ? entry.owner : -1, entry.current != null || !entry.waiting.isEmpty(), entry.lost);
  }

  /** How many minipages are in which state: one node may write, some may read, no copy is left; {@code busy} ones among them are being changed. */
  public record States(int writable, int readable, int lost, int busy) {}

  /** Counts them all: takes some milliseconds where there are hundreds of thousands. */
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

  /** Told of a minipage for which something is done now. */
  @FunctionalInterface
  public interface BusyVisitor {
    void busy(int minipage, int requester, boolean isWrite, String stage, int waiting);
  }

  /** Shows those at which something is done, at most {@code max}. */
  public void visitBusy(int max, BusyVisitor visitor) {
    int left = max;
    for (int minipage : entries.keySet()) {
      HomeEntry entry = entries.get(minipage);
      if (entry.current != null && left-- > 0) {
        visitor.busy(minipage, entry.current.from(), entry.current.isWrite(), entry.stage.name().toLowerCase(java.util.Locale.ROOT), entry.waiting.size());
      }
    }
  }

  /** Number of what is done with a minipage now. */
  int op(int minipage) {
    return entries.get(minipage).op;
  }

  /** Appends all that is known about a minipage but {@link #op}, for checkers. */
  void appendState(int minipage, StringBuilder to) {
    entries.get(minipage).appendState(to);
  }
}

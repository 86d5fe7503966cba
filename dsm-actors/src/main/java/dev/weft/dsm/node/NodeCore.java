package dev.weft.dsm.node;

import dev.weft.dsm.access.AccessControl;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.events.InvalidateEvent;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.function.ObjIntConsumer;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * What a node does about minipages: asks their homes for what its threads want, gives to others what homes say, and takes its time where its threads
 * are inside. Time is passed in; whoever drives it calls {@link #retry} at {@link #retryAtNs}.
 */
final class NodeCore {
  static final long NEVER = Long.MAX_VALUE;
  /** Home of what is freed. */
  static final int NO_HOME = -1;

  /** Threads of this node that want a minipage. */
  private static final class Want {
    /** Rights that the home was asked for and has not given yet. */
    byte asked = Rights.NONE;
    final List<Fault> faults = new ArrayList<>(1);
  }

  /** A minipage, or the right to write it, that must go as soon as nobody is inside. */
  private static final class Revocation {
    final DsmMessage.OfMinipage order;
    final int op;
    final byte rights;
    final int home;
    final long graceEndsNs;
    final InvalidateEvent event = new InvalidateEvent();
    boolean begun;
    /** What this node may do if the order is void. */
    byte before;
    int tries;

    Revocation(DsmMessage.OfMinipage order, int op, byte rights, int home, long graceEndsNs) {
      this.order = order;
      this.op = op;
      this.rights = rights;
      this.home = home;
      this.graceEndsNs = graceEndsNs;
      event.begin();
    }
  }

  private static final long FIRST_RETRY_NS = 1_000;
  private static final int RETRY_DOUBLINGS = 6;

  private final AccessControl access;
  private final IntUnaryOperator homeOf;
  private final IntPredicate isMoving;
  private final Outbox outbox;
  private final Transfers transfers;
  private final long graceNs;
  private final Int2ObjectHashMap<Want> wants = new Int2ObjectHashMap<>();
  private final ArrayDeque<Revocation> revocations = new ArrayDeque<>();
  private ObjIntConsumer<InvalidateEvent> describer = (event, minipage) -> event.minipage = minipage;
  private IntPredicate hasMovingHome = minipage -> false;
  private long retryAtNs = NEVER;
  /** Node that data has come from just now; -1 for none. */
  private int source = -1;
  private long readFaults;
  private long writeFaults;
  private long deferrals;
  private long graces;
  private long stale;

  /**
   * @param homeOf node that is home of a minipage, or {@link #NO_HOME}
   * @param isMoving whether a minipage has lost its home, and the next one does not know yet what this node has
   * @param graceNs how long a minipage stays, at most, for threads that have waited for it and have not run yet
   */
  NodeCore(AccessControl access, IntUnaryOperator homeOf, IntPredicate isMoving, Outbox outbox, Transfers transfers, long graceNs) {
    this.access = access;
    this.homeOf = homeOf;
    this.isMoving = isMoving;
    this.outbox = outbox;
    this.transfers = transfers;
    this.graceNs = graceNs;
  }

  /** Says who fills in which array and node an event is about. */
  void describeEventsBy(ObjIntConsumer<InvalidateEvent> filler) {
    describer = filler;
  }

  /** Says of which minipages the home moves, so that who gets data has to be told whom to answer. */
  void tellHomesOf(IntPredicate moving) {
    hasMovingHome = moving;
  }

  // What threads want.

  void onFault(Fault fault) {
    if (access.rights(fault.minipage) >= fault.rights) {
      fault.end();
      return;
    }
    if (homeOf.applyAsInt(fault.minipage) == NO_HOME) {
      fault.end(); // The array is gone; the thread finds that.
      return;
    }
    if (fault.rights == Rights.WRITE) {
      writeFaults++;
    } else {
      readFaults++;
    }
    Want want = wants.computeIfAbsent(fault.minipage, minipage -> new Want());
    want.faults.add(fault);
    ask(fault.minipage, want, fault.rights);
  }

  /** Asks for a copy to read that nobody waits for yet. */
  void prefetch(int minipage) {
    if (access.rights(minipage) == Rights.NONE && homeOf.applyAsInt(minipage) >= 0 && !isMoving.test(minipage)) {
      ask(minipage, wants.computeIfAbsent(minipage, unknown -> new Want()), Rights.READ);
    }
  }

  /** One request at a time: what is wanted beyond it is asked for when it is served. While the home moves, nothing is asked for. */
  private void ask(int minipage, Want want, byte rights) {
    if (want.asked == Rights.NONE && !isMoving.test(minipage)) {
      want.asked = rights;
      int first = -1;
      int last = -1;
      for (Fault fault : want.faults) {
        first = first < 0 ? fault.firstWord : Math.min(first, fault.firstWord);
        last = Math.max(last, fault.lastWord);
      }
      outbox.send(homeOf.applyAsInt(minipage),
          rights == Rights.WRITE ? new DsmMessage.WriteRequest(minipage, first, last) : new DsmMessage.ReadRequest(minipage, first, last));
    }
  }

  // What comes for this node.

  void onData(DsmMessage.Data data, int home) {
    onData(data, home, -1);
  }

  /** The same; {@code from} is the node that has sent it. */
  void onData(DsmMessage.Data data, int home, int from) {
    source = from;
    granted(data.minipage(), data.op(), data.writable(), home);
  }

  void onGrant(DsmMessage.Grant grant, int home) {
    source = -1;
    granted(grant.minipage(), grant.op(), grant.writable(), home);
  }

  /** What was read by RDMA is there. */
  void onFetched(int minipage, int op) {
    onFetched(minipage, op, -1);
  }

  /** The same; {@code from} is the node that it was read from. */
  void onFetched(int minipage, int op, int from) {
    source = from;
    int home = homeOf.applyAsInt(minipage);
    if (home >= 0) {
      granted(minipage, op, false, home);
    }
  }

  private void granted(int minipage, int op, boolean writable, int home) {
    if (homeOf.applyAsInt(minipage) < 0) {
      return;
    }
    dropRevocation(minipage);
    byte rights = writable ? Rights.WRITE : Rights.READ;
    if (access.rights(minipage) < rights) {
      access.grant(minipage, rights);
    }
    if (!isMoving.test(minipage)) {
      outbox.send(home, new DsmMessage.Confirm(minipage, op));
    }
    Want want = wants.get(minipage);
    if (want != null) {
      if (rights >= want.asked) {
        want.asked = Rights.NONE; // Otherwise it was pushed here, and the answer is still to come.
      }
      serve(minipage, want);
    }
  }

  /** Wakes those that have what they want, and asks for the others. */
  private void serve(int minipage, Want want) {
    byte rights = access.rights(minipage);
    want.faults.removeIf(fault -> {
      boolean isServed = fault.rights <= rights;
      if (isServed) {
        fault.source = source;
        fault.end();
      }
      return isServed;
    });
    if (want.faults.isEmpty()) {
      wants.remove(minipage);
    } else {
      ask(minipage, want, Rights.WRITE);
    }
  }

  /** Its home says that nobody has it any more. */
  void onLost(int minipage, String what) {
    Want want = wants.remove(minipage);
    if (want != null) {
      want.faults.forEach(fault -> fault.fail(what, true));
    }
  }

  /** Its home wants to know whether data came from a node that is lost. */
  void onAsk(DsmMessage.Ask ask, int home) {
    boolean has = access.rights(ask.minipage()) != Rights.NONE;
    outbox.send(home, has ? new DsmMessage.Confirm(ask.minipage(), ask.op()) : new DsmMessage.Invalidated(ask.minipage(), ask.op()));
  }

  /** What waits for an answer of {@code node} will get none, and nothing of what it has ordered is done any more. */
  void onNodeLost(int node) {
    for (int minipage : wanted()) {
      if (isMoving.test(minipage)) {
        wants.get(minipage).asked = Rights.NONE;
      }
    }
    revocations.removeIf(each -> (each.home == node || isMoving.test(each.order.minipage())) && isVoid(each));
  }

  /** Nobody has got yet what this node was about to give up. */
  private boolean isVoid(Revocation revocation) {
    int minipage = revocation.order.minipage();
    if (revocation.begun && homeOf.applyAsInt(minipage) != NO_HOME && access.rights(minipage) < revocation.before) {
      access.grant(minipage, revocation.before);
    }
    return true;
  }

  private int[] wanted() {
    return wants.keySet().stream().mapToInt(Integer::intValue).sorted().toArray();
  }

  /** The next home has been told what this node has: it is asked for what threads want. */
  void resume() {
    for (int minipage : wanted()) {
      Want want = wants.get(minipage);
      if (want.asked == Rights.NONE && !isMoving.test(minipage)) {
        if (want.faults.isEmpty()) {
          wants.remove(minipage); // A prefetch.
        } else {
          ask(minipage, want, want.faults.getFirst().rights);
        }
      }
    }
  }

  /** This node is about to leave: no thread waits any more. What homes were asked for still comes. */
  void endFaults(String why) {
    for (int minipage : wanted()) {
      Want want = wants.get(minipage);
      List<Fault> faults = List.copyOf(want.faults);
      want.faults.clear();
      if (want.asked == Rights.NONE) {
        wants.remove(minipage);
      }
      faults.forEach(fault -> fault.fail(why, false));
    }
  }

  /** Whether this node has a minipage, or has asked for it. */
  boolean hasOrAwaits(int minipage) {
    return access.rights(minipage) != Rights.NONE || wants.containsKey(minipage);
  }

  /** All threads that wait for minipages of an array are woken: it is gone, and they will find that. */
  void forget(int firstMinipage, int count) {
    for (int minipage : wanted()) {
      if (minipage >= firstMinipage && minipage < firstMinipage + count) {
        wants.remove(minipage).faults.forEach(Wait::end);
      }
    }
    revocations.removeIf(revocation -> revocation.order.minipage() >= firstMinipage && revocation.order.minipage() < firstMinipage + count);
  }

  // What others want of this node.

  void onForwardRead(DsmMessage.ForwardRead order, int home, long nowNs) {
    begin(new Revocation(order, order.op(), Rights.READ, home, nowNs + graceNs), nowNs);
  }

  void onForwardWrite(DsmMessage.ForwardWrite order, int home, long nowNs) {
    begin(new Revocation(order, order.op(), Rights.NONE, home, nowNs + graceNs), nowNs);
  }

  void onInvalidate(DsmMessage.Invalidate order, int home, long nowNs) {
    begin(new Revocation(order, order.op(), Rights.NONE, home, nowNs + graceNs), nowNs);
  }

  private void begin(Revocation revocation, long nowNs) {
    if (!tryRevoke(revocation, nowNs)) {
      deferrals++;
      revocations.add(revocation);
    }
  }

  private boolean tryRevoke(Revocation revocation, long nowNs) {
    int minipage = revocation.order.minipage();
    if (homeOf.applyAsInt(minipage) < 0) {
      return true; // Freed meanwhile, or nobody is interested any more.
    }
    if (!revocation.begun && access.rights(minipage) > revocation.rights && nowNs < revocation.graceEndsNs && access.hasServed(minipage)) {
      if (revocation.tries++ == 0) {
        graces++;
      }
      retryAtNs = Math.min(retryAtNs, Math.min(revocation.graceEndsNs, nowNs + FIRST_RETRY_NS * 10));
      return false;
    }
    if (!revocation.begun) {
      revocation.begun = true;
      revocation.before = access.rights(minipage);
    }
    if (access.rights(minipage) >= revocation.rights && !access.tryRevoke(minipage, revocation.rights)) {
      retryAtNs = Math.min(retryAtNs, nowNs + (FIRST_RETRY_NS << Math.min(revocation.tries++, RETRY_DOUBLINGS)));
      return false;
    }
    revoked(revocation);
    tell(revocation);
    return true;
  }

  private void tell(Revocation revocation) {
    InvalidateEvent event = revocation.event;
    event.end();
    if (event.shouldCommit()) {
      describer.accept(event, revocation.order.minipage());
      event.keepsCopy = revocation.rights != Rights.NONE;
      event.requester = revocation.order instanceof DsmMessage.ForwardRead read ? read.requester()
          : revocation.order instanceof DsmMessage.ForwardWrite write ? write.requester() : -1;
      event.tries = revocation.tries;
      event.commit();
    }
  }

  private void revoked(Revocation revocation) {
    switch (revocation.order) {
      case DsmMessage.ForwardRead read -> send(read.minipage(), revocation.op, read.requester(), false, revocation.home);
      case DsmMessage.ForwardWrite write -> send(write.minipage(), revocation.op, write.requester(), true, revocation.home);
      case DsmMessage.Invalidate invalidate -> outbox.send(revocation.home, new DsmMessage.Invalidated(invalidate.minipage(), revocation.op));
      default -> throw new IllegalStateException("not an order to give something up: " + revocation.order);
    }
  }

  private void send(int minipage, int op, int requester, boolean writable, int home) {
    transfers.write(minipage, requester);
    outbox.send(requester, new DsmMessage.Data(minipage, op, writable, hasMovingHome.test(minipage) ? home : -1));
  }

  /** The home has given up what this was for: it grants something new. */
  private void dropRevocation(int minipage) {
    if (!revocations.isEmpty() && revocations.removeIf(revocation -> revocation.order.minipage() == minipage)) {
      stale++;
    }
  }

  /** When {@link #retry} should be called again; {@link #NEVER} if there is no need. */
  long retryAtNs() {
    return retryAtNs;
  }

  /** Whether a thread that leaves a minipage should say so. */
  boolean hasRevocations() {
    return !revocations.isEmpty();
  }

  /** Tries again what threads were in the way of. */
  void retry(long nowNs) {
    retryAtNs = NEVER;
    for (Iterator<Revocation> each = revocations.iterator(); each.hasNext();) {
      if (tryRevoke(each.next(), nowNs)) {
        each.remove();
      }
    }
  }

  long readFaults() {
    return readFaults;
  }

  long writeFaults() {
    return writeFaults;
  }

  /** Orders of homes that had to wait for threads. */
  long deferrals() {
    return deferrals;
  }

  /** Of these, because a thread had waited for the minipage and not run yet. */
  long graces() {
    return graces;
  }

  /** Orders that their homes have given up. */
  long stale() {
    return stale;
  }

  /** Told of threads that wait for a minipage. */
  @FunctionalInterface
  interface WantVisitor {
    void wanted(int minipage, int home, boolean isWrite, int threads, long sinceNs);
  }

  /** Shows what threads wait for. */
  void visitWants(WantVisitor visitor) {
    for (int minipage : wants.keySet()) {
      Want want = wants.get(minipage);
      if (!want.faults.isEmpty()) {
        visitor.wanted(minipage, homeOf.applyAsInt(minipage), want.faults.stream().anyMatch(fault -> fault.rights == Rights.WRITE), want.faults.size(),
            want.faults.stream().mapToLong(fault -> fault.sinceNs).min().orElseThrow());
      }
    }
  }

  /** Faults that wait. */
  int waiting() {
    int count = 0;
    for (Want want : wants.values()) {
      count += want.faults.size();
    }
    return count;
  }

  /** Appends what is wanted here of a minipage and must go, for checkers; {@code op} is what op numbers are told relative to. */
  void appendState(int minipage, int op, StringBuilder to) {
    Want want = wants.get(minipage);
    if (want != null) {
      to.append('w').append(want.asked);
      want.faults.forEach(fault -> to.append(',').append(fault.rights));
    }
    for (Revocation r : revocations) {
      if (r.order.minipage() == minipage) {
        int requester = r.order instanceof DsmMessage.ForwardRead read ? read.requester()
            : r.order instanceof DsmMessage.ForwardWrite write ? write.requester() : -1;
        to.append('r').append(r.rights).append(',').append(Math.max(r.op - op, -3)).append(',').append(requester).append(r.begun ? 'b' : '-');
      }
    }
  }
}

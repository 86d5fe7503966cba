package dev.weft.dsm.member;

import dev.weft.dsm.access.AccessControl;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.events.InvalidateEvent;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.net.Transfers;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.objects.Wait;
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
 * The minipages of a node: requests for its threads, orders of homes to give minipages up, and delays while its threads are inside. The caller passes
 * the time, and must call {@link #retry} at {@link #retryAtNs}.
 */
public final class NodeCore {
  public static final long NEVER = Long.MAX_VALUE;
  /** The home of a freed minipage. */
  public static final int NO_HOME = -1;

  /** Threads of this node that want a minipage. */
  private static final class Want {
    /** Rights that this node has requested and the home has not granted yet. */
    byte asked = Rights.NONE;
    final List<Fault> faults = new ArrayList<>(1);
  }

  /** A minipage, or the right to write it, that must go as soon as no thread is inside. */
  private static final class Revocation {
    final DsmMessage.OfMinipage order;
    final int op;
    final byte rights;
    final int home;
    final long graceEndsNs;
    final InvalidateEvent event = new InvalidateEvent();
    boolean begun;
    /** This node's rights if the order becomes void. */
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
  /** Node that has just sent data; -1 for none. */
  private int source = -1;
  private long readFaults;
  private long writeFaults;
  private long deferrals;
  private long graces;
  private long stale;

  /**
   * @param homeOf home of a minipage, or {@link #NO_HOME}
   * @param isMoving whether a minipage has lost its home, and the next home does not know yet what this node has
   * @param graceNs how long a minipage stays, at most, for threads that have waited for it and have not run yet
   */
  public NodeCore(AccessControl access, IntUnaryOperator homeOf, IntPredicate isMoving, Outbox outbox, Transfers transfers, long graceNs) {
    this.access = access;
    this.homeOf = homeOf;
    this.isMoving = isMoving;
    this.outbox = outbox;
    this.transfers = transfers;
    this.graceNs = graceNs;
  }

  /** Sets the function that fills array and node into an event. */
  void describeEventsBy(ObjIntConsumer<InvalidateEvent> filler) {
    describer = filler;
  }

  /** Sets the test for minipages whose home moves: the data then names the node to answer. */
  public void tellHomesOf(IntPredicate moving) {
    hasMovingHome = moving;
  }

  // Requests of threads.

  public void onFault(Fault fault) {
    if (access.rights(fault.minipage) >= fault.rights) {
      fault.end();
      return;
    }
    if (homeOf.applyAsInt(fault.minipage) == NO_HOME) {
      fault.end(); // The array was freed; the thread finds that.
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

  /** Requests a readable copy that no thread waits for yet. */
  public void prefetch(int minipage) {
    if (access.rights(minipage) == Rights.NONE && homeOf.applyAsInt(minipage) >= 0 && !isMoving.test(minipage)) {
      ask(minipage, wants.computeIfAbsent(minipage, unknown -> new Want()), Rights.READ);
    }
  }

  /** One request at a time; further rights are requested when it is served. While the home moves, nothing is requested. */
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

  // Answers for this node.

  public void onData(DsmMessage.Data data, int home) {
    onData(data, home, -1);
  }

  /** The same with the node that has sent the data. */
  public void onData(DsmMessage.Data data, int home, int from) {
    source = from;
    granted(data.minipage(), data.op(), data.writable(), home);
  }

  public void onGrant(DsmMessage.Grant grant, int home) {
    source = -1;
    granted(grant.minipage(), grant.op(), grant.writable(), home);
  }

  /** A read by RDMA is complete. */
  public void onFetched(int minipage, int op) {
    onFetched(minipage, op, -1);
  }

  /** The same with the node that the data was read from. */
  public void onFetched(int minipage, int op, int from) {
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
        want.asked = Rights.NONE; // Otherwise the copy was pushed here, and the answer is still to come.
      }
      serve(minipage, want);
    }
  }

  /** Wakes threads that have what they want, and requests the rest. */
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

  /** The home reports that no node has the minipage any more. */
  public void onLost(int minipage, String what) {
    Want want = wants.remove(minipage);
    if (want != null) {
      want.faults.forEach(fault -> fault.fail(what, true));
    }
  }

  /** The home asks whether data of a lost node has arrived. */
  public void onAsk(DsmMessage.Ask ask, int home) {
    boolean has = access.rights(ask.minipage()) != Rights.NONE;
    outbox.send(home, has ? new DsmMessage.Confirm(ask.minipage(), ask.op()) : new DsmMessage.Invalidated(ask.minipage(), ask.op()));
  }

  /** A node is lost: requests to it get no answer, and its orders are void. */
  public void onNodeLost(int node) {
    for (int minipage : wanted()) {
      if (isMoving.test(minipage)) {
        wants.get(minipage).asked = Rights.NONE;
      }
    }
    revocations.removeIf(each -> (each.home == node || isMoving.test(each.order.minipage())) && isVoid(each));
  }

  /** Restores the right that this node was about to give up: no other node has got it yet. */
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

  /** The next home knows what this node has: requests what threads want. */
  public void resume() {
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

  /** This node is about to leave: ends the waits of all threads. Answers of homes still arrive. */
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

  /** Whether this node has a minipage, or has requested it. */
  boolean hasOrAwaits(int minipage) {
    return access.rights(minipage) != Rights.NONE || wants.containsKey(minipage);
  }

  /** An array was freed: wakes all threads that wait for its minipages, which then find that. */
  public void forget(int firstMinipage, int count) {
    for (int minipage : wanted()) {
      if (minipage >= firstMinipage && minipage < firstMinipage + count) {
        wants.remove(minipage).faults.forEach(Wait::end);
      }
    }
    revocations.removeIf(revocation -> revocation.order.minipage() >= firstMinipage && revocation.order.minipage() < firstMinipage + count);
  }

  // Orders for this node.

  public void onForwardRead(DsmMessage.ForwardRead order, int home, long nowNs) {
    begin(new Revocation(order, order.op(), Rights.READ, home, nowNs + graceNs), nowNs);
  }

  public void onForwardWrite(DsmMessage.ForwardWrite order, int home, long nowNs) {
    begin(new Revocation(order, order.op(), Rights.NONE, home, nowNs + graceNs), nowNs);
  }

  public void onInvalidate(DsmMessage.Invalidate order, int home, long nowNs) {
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
      return true; // Freed meanwhile, or no node needs it any more.
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

  /** The home grants something new, so it has given up the purpose of this order. */
  private void dropRevocation(int minipage) {
    if (!revocations.isEmpty() && revocations.removeIf(revocation -> revocation.order.minipage() == minipage)) {
      stale++;
    }
  }

  /** When {@link #retry} should be called again; {@link #NEVER} if there is no need. */
  public long retryAtNs() {
    return retryAtNs;
  }

  /** Whether a thread that leaves a minipage should notify the actor. */
  public boolean hasRevocations() {
    return !revocations.isEmpty();
  }

  /** Retries orders that waited for threads inside. */
  public void retry(long nowNs) {
    retryAtNs = NEVER;
    for (Iterator<Revocation> each = revocations.iterator(); each.hasNext();) {
      if (tryRevoke(each.next(), nowNs)) {
        each.remove();
      }
    }
  }

  public long readFaults() {
    return readFaults;
  }

  public long writeFaults() {
    return writeFaults;
  }

  /** Number of orders of homes that had to wait for threads. */
  public long deferrals() {
    return deferrals;
  }

  /** Number of deferrals because a thread had waited for the minipage and not run yet. */
  public long graces() {
    return graces;
  }

  /** Number of orders that their homes have given up. */
  public long stale() {
    return stale;
  }

  /** Receives a minipage that threads wait for. */
  @FunctionalInterface
  public interface WantVisitor {
    void wanted(int minipage, int home, boolean isWrite, int threads, long sinceNs);
  }

  /** Visits the minipages that threads wait for. */
  public void visitWants(WantVisitor visitor) {
    for (int minipage : wants.keySet()) {
      Want want = wants.get(minipage);
      if (!want.faults.isEmpty()) {
        visitor.wanted(minipage, homeOf.applyAsInt(minipage), want.faults.stream().anyMatch(fault -> fault.rights == Rights.WRITE), want.faults.size(),
            want.faults.stream().mapToLong(fault -> fault.sinceNs).min().orElseThrow());
      }
    }
  }

  /** Number of waiting faults. */
  public int waiting() {
    int count = 0;
    for (Want want : wants.values()) {
      count += want.faults.size();
    }
    return count;
  }

  /** Appends requests and pending orders for a minipage, for checkers; operation numbers are printed relative to {@code op}. */
  public void appendState(int minipage, int op, StringBuilder to) {
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

package dev.weft.hca.sync;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.EventCounters;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveContexts;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * A node that uses the objects of a {@link SyncHome}. It sends atomics, and is notified by writes that increment an event counter. Its callbacks run in
 * its receive context. One thread at a time may use it; while an operation is in progress, only the thread of the context.
 */
public final class SyncClient {
  /** Remote memory: its first address and its key. */
  public record Address(long at, int rkey) {}

  /** Receives the result of an atomic; {@code status} is not SUCCESS if the home cannot be reached. */
  @FunctionalInterface
  interface Result {
    void done(long original, WcStatus status);
  }

  private record Peer(QueuePair qp, Address mailbox, SignalInterval signals) {}

  private static final int OUTSTANDING_MAX = 64;
  private static final long NO_RESULT = -1;

  private final Hca hca;
  private int id;
  private final ReceiveContext context;
  private final ReceiveContexts contexts;
  private final CompletionQueue cq;
  private final EventCounters counters;
  private final MemorySegment results = Arena.ofAuto().allocate(8L * OUTSTANDING_MAX, 64);
  private final MemoryRegion resultRegion;
  private final MemorySegment mailbox;
  private final MemoryRegion mailboxRegion;
  private final Result[] pending = new Result[OUTSTANDING_MAX];
  private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
  /** Copied at each change, because the hardware thread adds and removes peers. */
  private volatile Int2ObjectHashMap<Peer> peers = new Int2ObjectHashMap<>();
  private final WorkCompletion wc = new WorkCompletion();
  private QueuePair toHome;
  private Address home;
  /** Called with the reason when the home or a client does not answer although it is not known to be lost. */
  private Consumer<String> unreachable = reason -> {};

  /**
   * Creates a client without connections. {@link SyncMember} creates and connects one.
   *
   * @param id 1 to 65,534, unique among the clients of the home
   * @param objects number of objects of the home
   * @param context context of the callbacks, not POLLING
   */
  public SyncClient(Hca hca, ProtectionDomain pd, int id, int objects, ReceiveContext context) {
    this(hca, pd, objects, context);
    identify(id);
  }

  /** Creates a client that gets its id later. */
  SyncClient(Hca hca, ProtectionDomain pd, int objects, ReceiveContext context) {
    this.hca = hca;
    this.context = context;
    contexts = hca.contexts();
    mailbox = Arena.ofAuto().allocate(16L * objects, 64);
    mailboxRegion = hca.regMr(pd, mailbox, Access.ALL);
    resultRegion = hca.regMr(pd, results, Access.LOCAL_WRITE);
    counters = new EventCounters(objects, 4, contexts);
    // Room for all outstanding requests: atomics and, for each object, one word to the predecessor and one to the successor.
    cq = hca.createCq(4 * OUTSTANDING_MAX + 8 * objects, context, this::onCompletions);
    cq.arm(false);
    for (int slot = 0; slot < OUTSTANDING_MAX; slot++) {
      freeSlots.add(slot);
    }
  }

  void identify(int number) {
    if (number < 1 || number >= McsLock.HOME) {
      throw new IllegalArgumentException("the client number is " + number + ", must be from 1 to " + (McsLock.HOME - 1));
    }
    id = number;
  }

  void onUnreachable(Consumer<String> action) {
    unreachable = action;
  }

  static long grantOffset(int object) {
    return 16L * object;
  }

  static long nextOffset(int object) {
    return 16L * object + 8;
  }

  public int id() {
    return id;
  }

  /** The completion queue for the queue pairs with which this client sends. */
  public CompletionQueue cq() {
    return cq;
  }

  /** The event counters for the queue pairs on which this client receives notifications. */
  public EventCounters counters() {
    return counters;
  }

  public Address mailbox() {
    return new Address(mailboxRegion.addr(), mailboxRegion.rkey());
  }

  /** Sets the connection to the home. The queue pair completes on {@link #cq}; the home's end has no posted receives. */
  public void connectHome(QueuePair qp, Address words) {
    toHome = qp;
    home = words;
  }

  /** Sets the connection to another client, for the direct hand-over of locks. */
  public synchronized void connectPeer(int peer, QueuePair qp, Address peerMailbox) {
    Int2ObjectHashMap<Peer> more = new Int2ObjectHashMap<>(peers);
    more.put(peer, new Peer(qp, peerMailbox, new SignalInterval(qp)));
    peers = more;
  }

  /** Removes a lost client. The home takes over its part in the queues. */
  synchronized void forgetPeer(int peer) {
    Int2ObjectHashMap<Peer> fewer = new Int2ObjectHashMap<>(peers);
    fewer.remove(peer);
    peers = fewer;
  }

  long grant(int object) {
    return mailbox.get(ValueLayout.JAVA_LONG, grantOffset(object));
  }

  long next(int object) {
    return mailbox.get(ValueLayout.JAVA_LONG, nextOffset(object));
  }

  void compareAndSwap(int object, long expected, long replacement, Result result) {
    post(new WorkRequest().compareAndSwap(home.at + 16L * object, home.rkey, expected, replacement), result);
  }

  void fetchAndAdd(int object, long addend, Result result) {
    post(new WorkRequest().fetchAndAdd(home.at + 16L * object, home.rkey, addend), result);
  }

  /** Tells the home that this client has handed the lock over; does not wait for the result. */
  void note(int object) {
    post(new WorkRequest().fetchAndAdd(home.at + 16L * object + 8, home.rkey, 1), (original, status) -> {});
  }

  /** Reads memory of the home; the word passed to {@code result} has no meaning. */
  void read(long at, int rkey, MemoryRegion into, int bytes, Result result) {
    int slot = claim(result);
    toHome.postSend(new WorkRequest().read(at, rkey).sge(into, 0, bytes).wrId(slot).signaled());
  }

  private void post(WorkRequest request, Result result) {
    int slot = claim(result);
    toHome.postSend(request.sge(resultRegion, 8L * slot, 8).wrId(slot).signaled());
  }

  private synchronized int claim(Result result) {
    Integer slot = freeSlots.poll();
    if (slot == null) {
      throw new IllegalStateException("client " + id + " has " + OUTSTANDING_MAX + " atomics outstanding already; wait for a result first");
    }
    pending[slot] = result;
    return slot;
  }

  /** Writes a word of a peer's mailbox and notifies it. Does nothing if the peer is lost; the home then repairs the queue. */
  void tell(int peer, long offset, long value, int object) {
    Peer to = peers.get(peer);
    if (to != null) {
      MemorySegment word = MemorySegment.ofArray(new long[] {value});
      to.qp.postSend(to.signals.mark(
          new WorkRequest().writeWithImm(to.mailbox.at + offset, to.mailbox.rkey, object).inline(word).wrId(NO_RESULT)));
    }
  }

  /** Calls {@code then} in this client's context when the object's counter exceeds {@code seen}; sends nothing during the wait. */
  void await(int object, long seen, Runnable then) {
    counters.whenReached(object, seen + 1, context, then);
  }

  private void onCompletions(CompletionQueue queue) {
    do {
      while (queue.poll(wc)) {
        complete(wc);
      }
    } while (queue.arm(false) == CompletionQueue.Armed.COMPLETIONS_WAITING);
  }

  private void complete(WorkCompletion done) {
    if (done.status() == WcStatus.RETRY_EXC_ERR) {
      unreachable.accept(done.wrId() == NO_RESULT ? "another client, whose turn it is, does not answer" : "the home does not answer");
    }
    if (done.wrId() == NO_RESULT) {
      return;
    }
    int slot = (int) done.wrId();
    long original = results.get(ValueLayout.JAVA_LONG, 8L * slot);
    Result result;
    synchronized (this) {
      result = pending[slot];
      pending[slot] = null;
      freeSlots.add(slot);
    }
    result.done(original, done.status());
  }

  /** Runs an action in this client's receive context, where it may call the client's operations. */
  public void run(Runnable action) {
    if (context == ReceiveContext.ISR && !hca.isHardwareThread()) {
      hca.later(() -> {
        action.run();
        return null;
      });
    } else {
      contexts.run(context, action);
    }
  }

  /** Reports that the home is lost: all waiting operations end with false. */
  public void homeLost(String reason) {
    counters.fail(reason);
  }

  /** Releases the resources of the HCA; the queue pairs must be destroyed before. */
  void close() {
    hca.destroyCq(cq);
    hca.deregMrs(List.of(mailboxRegion, resultRegion));
  }
}

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
 * A node that uses the objects of a {@link SyncHome}: sends atomics, and is told by writes that name an event counter. Its callbacks run in
 * the receive context that it was made with; it is used by one thread at a time, which is the context's while a call is under way.
 */
public final class SyncClient {
  /** Remote memory: where it starts, and its key. */
  public record Address(long at, int rkey) {}

  /** The result of an atomic; {@code status} is not SUCCESS if the home cannot be reached. */
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
  /** Copied when it changes: peers come and go on the hardware thread. */
  private volatile Int2ObjectHashMap<Peer> peers = new Int2ObjectHashMap<>();
  private final WorkCompletion wc = new WorkCompletion();
  private QueuePair toHome;
  private Address home;
  /** Told why, when somebody who is not known to be lost does not answer. */
  private Consumer<String> unreachable = reason -> {};

  /**
   * A client that is connected to nobody. {@link SyncMember} makes one and connects it.
   *
   * @param id 1 to 65,534, its own within the home
   * @param objects objects of the home
   * @param context where callbacks run, not POLLING
   */
  public SyncClient(Hca hca, ProtectionDomain pd, int id, int objects, ReceiveContext context) {
    this(hca, pd, objects, context);
    identify(id);
  }

  /** The same, whose number is not known yet. */
  SyncClient(Hca hca, ProtectionDomain pd, int objects, ReceiveContext context) {
    this.hca = hca;
    this.context = context;
    contexts = hca.contexts();
    mailbox = Arena.ofAuto().allocate(16L * objects, 64);
    mailboxRegion = hca.regMr(pd, mailbox, Access.ALL);
    resultRegion = hca.regMr(pd, results, Access.LOCAL_WRITE);
    counters = new EventCounters(objects, 4, contexts);
    // Room for what can be under way: atomics, and of each object one word to the one before and one to the one behind.
    cq = hca.createCq(4 * OUTSTANDING_MAX + 8 * objects, context, this::onCompletions);
    cq.arm(false);
    for (int slot = 0; slot < OUTSTANDING_MAX; slot++) {
      freeSlots.add(slot);
    }
  }

  void identify(int number) {
    if (number < 1 || number >= McsLock.HOME) {
      throw new IllegalArgumentException("client " + number + ", must be from 1 to " + (McsLock.HOME - 1));
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

  /** For the queue pairs that this client sends with. */
  public CompletionQueue cq() {
    return cq;
  }

  /** For the queue pairs through which it is told. */
  public EventCounters counters() {
    return counters;
  }

  public Address mailbox() {
    return new Address(mailboxRegion.addr(), mailboxRegion.rkey());
  }

  /** How the home is reached; its queue pair completes on {@link #cq}, the other end was given no receives. */
  public void connectHome(QueuePair qp, Address words) {
    toHome = qp;
    home = words;
  }

  /** How another client is reached, for locks that are handed over directly. */
  public synchronized void connectPeer(int peer, QueuePair qp, Address peerMailbox) {
    Int2ObjectHashMap<Peer> more = new Int2ObjectHashMap<>(peers);
    more.put(peer, new Peer(qp, peerMailbox, new SignalInterval(qp)));
    peers = more;
  }

  /** That client is gone; the home sees to whatever it should have been told. */
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

  /** Tells the home that the lock was handed over; nobody waits for the answer. */
  void note(int object) {
    post(new WorkRequest().fetchAndAdd(home.at + 16L * object + 8, home.rkey, 1), (original, status) -> {});
  }

  /** Reads memory of the home; the word that {@code result} is given means nothing. */
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
      throw new IllegalStateException("client " + id + " has " + OUTSTANDING_MAX + " atomics under way already");
    }
    pending[slot] = result;
    return slot;
  }

  /** Writes a word of a peer's mailbox and notifies it. A peer that is gone cannot be told; the home sees to that. */
  void tell(int peer, long offset, long value, int object) {
    Peer to = peers.get(peer);
    if (to != null) {
      MemorySegment word = MemorySegment.ofArray(new long[] {value});
      to.qp.postSend(to.signals.mark(
          new WorkRequest().writeWithImm(to.mailbox.at + offset, to.mailbox.rkey, object).inline(word).wrId(NO_RESULT)));
    }
  }

  /** Calls {@code then} in this client's context when the object's counter has gone beyond {@code seen}; nothing is sent meanwhile. */
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
      unreachable.accept(done.wrId() == NO_RESULT ? "a client that should go on does not answer" : "the home does not answer");
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

  /** Runs something in this client's receive context, from where its operations may be called. */
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

  /** The home is gone: who waits for one of its objects is told so. */
  public void homeLost(String reason) {
    counters.fail(reason);
  }

  /** Gives back what the HCA keeps; its queue pairs are destroyed. */
  void close() {
    hca.destroyCq(cq);
    hca.deregMrs(List.of(mailboxRegion, resultRegion));
  }
}

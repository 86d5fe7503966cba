package dev.weft.hca.completion;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.Check;
import dev.weft.fabric.time.Clock;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.verbs.CompletionHandler;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveContexts;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WorkCompletion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ring of a completion queue. The hardware thread fills it; any thread may poll it. */
public final class Cq implements CompletionQueue {

  static final int NOT_ARMED = 0;
  static final int ARMED_ANY = 1;
  static final int ARMED_SOLICITED = 2;

  private static final Logger LOG = LoggerFactory.getLogger(Cq.class);
  private static final VarHandle HEAD;
  private static final VarHandle TAIL;
  private static final VarHandle ARM;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(Cq.class, "head", long.class);
      TAIL = lookup.findVarHandle(Cq.class, "tail", long.class);
      ARM = lookup.findVarHandle(Cq.class, "armed", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Hca hca;
  private final HardwareCalls calls;
  private final int completionsMax;
  private final int number;
  private final ReceiveContext context;
  private final CompletionHandler handler;
  /** Whether the handler is an actor. Then the hardware thread sends it the notifications, and this queue has no actor of its own. */
  private final boolean tellsConsumer;
  private final ReentrantLock pollLock = new ReentrantLock();
  /**
   * The entries; the length is a power of two. {@link #resize} replaces it, on the hardware thread, by a ring with the same entries at the same
   * positions. A polling thread reads it after {@link #tail}, so that its ring contains the last completion; an older ring still contains the earlier ones.
   */
  private volatile Cqe[] ring;
  private volatile int capacity;
  /** Whether only one thread polls, so that no lock is needed. */
  private final boolean singleThreaded;
  /** Set between startPoll and endPoll. Guarded by the lock, except for snapshots, which may be slightly out of date. */
  private boolean batch;
  /** The clock for timestamps of completions; null if they are not requested. */
  private final Clock clock;
  private volatile long head;
  private volatile long tail;
  private volatile int armed;
  private volatile boolean overrun;
  private ActorRef<CqActor.Command> actor;
  /** Whether a notification was sent to the actor and its handling has not begun. */
  private volatile boolean told;
  /** Whether the HCA is closing; notifications then wait until everything is flushed. Hardware thread. */
  private boolean ending;
  private boolean notifyOnStart;
  private volatile Runnable watcher;
  /** The number of work queues that complete here. Hardware thread. */
  private int useCount;
  private volatile boolean destroyed;
  long completions;
  volatile long notifications;

  /**
   * Creates a queue of {@code attr.cqe()} entries.
   *
   * @param calls the calls to the hardware thread of the HCA; null for a queue without an HCA
   * @param completionsMax the largest number of entries for {@link #resize}
   */
  public Cq(Hca hca, HardwareCalls calls, int completionsMax, int number, CqExAttr attr, Clock clock) {
    this.hca = hca;
    this.calls = calls;
    this.completionsMax = completionsMax;
    this.number = number;
    this.capacity = attr.cqe();
    this.context = attr.context();
    this.handler = attr.handler();
    this.tellsConsumer = handler instanceof ActorNotice;
    this.singleThreaded = attr.singleThreaded();
    this.clock = attr.timestamps() ? clock : null;
    ring = newRing(capacity);
  }

  private static Cqe[] newRing(int capacity) {
    Cqe[] entries = new Cqe[Integer.highestOneBit(Math.max(1, capacity - 1)) << 1];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = new Cqe();
    }
    return entries;
  }

  public HcaSnapshot.Cq snapshot() {
    return new HcaSnapshot.Cq(number, context, size(), capacity, isArmed(), overrun, completions, notifications, clock != null,
        singleThreaded, batch);
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public ReceiveContext context() {
    return context;
  }

  @Override
  public Hca hca() {
    return hca;
  }

  @Override
  public long notifications() {
    return notifications;
  }

  @Override
  public int size() {
    return (int) (tail - head);
  }

  @Override
  public boolean isOverrun() {
    return overrun;
  }

  boolean isArmed() {
    return armed != NOT_ARMED;
  }

  CompletionHandler handler() {
    return handler;
  }

  @Override
  public int poll(WorkCompletion[] into) {
    Check.given("into", into);
    if (head == tail) {
      return 0;
    }
    lock();
    try {
      long from = head;
      int count = (int) Math.min(tail - from, into.length);
      Cqe[] entries = ring;
      for (int i = 0; i < count; i++) {
        Cqe entry = at(entries, from + i);
        into[i].copyFrom(entry);
        free(entry, from + i);
      }
      return count;
    } finally {
      unlock();
    }
  }

  @Override
  public boolean poll(WorkCompletion into) {
    Check.given("into", into);
    if (head == tail) {
      return false;
    }
    lock();
    try {
      long from = head;
      if (from == tail) {
        return false;
      }
      Cqe entry = at(ring, from);
      into.copyFrom(entry);
      free(entry, from);
      return true;
    } finally {
      unlock();
    }
  }

  /** Frees the oldest entry. Its place becomes free before the work queue slots, so requests posted into these slots find room when they complete. */
  private void free(Cqe entry, long position) {
    QueueSlots slots = entry.slots();
    long before = entry.slotsBefore();
    HEAD.setRelease(this, position + 1);
    if (slots != null) {
      slots.polled(before);
    }
  }

  private static Cqe at(Cqe[] entries, long position) {
    return entries[(int) position & entries.length - 1];
  }

  private void lock() {
    if (!singleThreaded) {
      pollLock.lock();
    }
    if (batch) {
      unlock();
      throw new VerbsException(VerbsException.Errno.EBUSY, this + " is being polled by this thread already; call endPoll first");
    }
  }

  private void unlock() {
    if (!singleThreaded) {
      pollLock.unlock();
    }
  }

  /** See {@link CqEx#startPoll}; returns null if the queue is empty. */
  WorkCompletion startPoll() {
    if (head == tail) {
      return null;
    }
    lock();
    if (head == tail) {
      unlock();
      return null;
    }
    batch = true;
    return at(ring, head);
  }

  /** Frees the current entry; returns the next one or null. */
  WorkCompletion nextPoll() {
    free(at(ring, head), head);
    return head == tail ? null : at(ring, head);
  }

  void endPoll(boolean consumed) {
    if (!batch || (!singleThreaded && !pollLock.isHeldByCurrentThread())) {
      throw new VerbsException(VerbsException.Errno.EINVAL, this + " is not being polled by this thread");
    }
    if (consumed) {
      free(at(ring, head), head);
    }
    batch = false;
    unlock();
  }

  @Override
  public void resize(int cqe) {
    calls.control(() -> {
      replaceRing(cqe);
      return null;
    });
  }

  private void replaceRing(int cqe) {
    int least = Math.max(1, size());
    if (destroyed || cqe < least || cqe > completionsMax) {
      throw new VerbsException(VerbsException.Errno.EINVAL, this + (destroyed ? " is destroyed"
          : " cannot have " + cqe + " entries, must be from " + least + " to " + completionsMax));
    }
    Cqe[] larger = newRing(cqe);
    for (long i = head; i < tail; i++) {
      larger[(int) i & larger.length - 1] = at(ring, i);
    }
    ring = larger;
    capacity = cqe;
  }

  @Override
  public Armed arm(boolean solicitedOnly) {
    if (context == ReceiveContext.POLLING) {
      throw new VerbsException(VerbsException.Errno.EINVAL,
          "completion queue " + number + " was created for POLLING and has no handler to notify; create it with another context");
    }
    if (destroyed) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "completion queue " + number + " is destroyed");
    }
    if (solicitedOnly) {
      ARM.compareAndSet(this, NOT_ARMED, ARMED_SOLICITED);
    } else {
      ARM.setVolatile(this, ARMED_ANY);
    }
    if (head != tail) {
      return Armed.COMPLETIONS_WAITING;
    }
    if (isHcaClosed() && head == tail) { // Checked last: either this thread sees the end of the HCA, or the closing thread finds the queue armed.
      throw calls.refusal();
    }
    return Armed.ARMED;
  }

  @Override
  public boolean disarm() {
    return (int) ARM.getAndSet(this, NOT_ARMED) != NOT_ARMED;
  }

  @Override
  public void notifyAgain() {
    if (tellsConsumer || actor != null) {
      notifyConsumer();
    }
  }

  private boolean isHcaClosed() {
    return calls != null && calls.isClosed();
  }

  private void notifyConsumer() {
    if (tellsConsumer) {
      handler.onCompletionEvent(this);
    } else {
      told = true;
      actor.tell(CqActor.NOTIFY);
    }
  }

  public boolean hasActor() {
    return context != ReceiveContext.POLLING && !tellsConsumer;
  }

  @Override
  public void watch(Runnable newWatcher) {
    watcher = newWatcher;
  }

  /** Returns the entry to fill before {@link #push}, or null if the queue is full or has overrun. Hardware thread. */
  public Cqe claim() {
    if (overrun || tail - head >= capacity) {
      return null;
    }
    return at(ring, tail);
  }

  public void markOverrun() {
    overrun = true;
  }

  /** Makes the claimed entry visible and notifies if the queue is armed for it. Hardware thread. */
  public void push(boolean solicitedOrError) {
    completions++;
    if (clock != null) {
      at(ring, tail).at(clock.nowNs());
    }
    if (context == ReceiveContext.POLLING) {
      TAIL.setRelease(this, tail + 1);
      tellWatcher();
      return;
    }
    TAIL.setVolatile(this, tail + 1);
    tellWatcher();
    for (int now = armed; now == ARMED_ANY || (now == ARMED_SOLICITED && solicitedOrError); now = armed) {
      if (ARM.compareAndSet(this, now, NOT_ARMED)) {
        interrupt();
        return;
      }
    }
  }

  private void tellWatcher() {
    Runnable now = watcher;
    if (now != null) {
      now.run();
    }
  }

  private void interrupt() {
    notifications++;
    if (ending || (actor == null && !tellsConsumer)) {
      notifyOnStart = true;
    } else {
      notifyConsumer();
    }
  }

  /** Reports that the actor has received a notification. */
  void notifying() {
    told = false;
  }

  /** Reports that the HCA is closing. Hardware thread. */
  public void beginEnd() {
    ending = true;
  }

  /** Reports that the HCA is closed: notifies a consumer that waits for a completion. The queue's actor may have stopped. Hardware thread. */
  public void notifyOfEnd(ReceiveContexts contexts) {
    tellWatcher();
    if (context == ReceiveContext.POLLING || destroyed) {
      return;
    }
    boolean wasArmed = disarm();
    boolean waits = wasArmed || notifyOnStart || told;
    notifyOnStart = false;
    if (waits && tellsConsumer) {
      callHandler();
    } else if (waits) {
      try {
        contexts.run(context, this::callHandler);
      } catch (RejectedExecutionException ended) {
        callHandler();
      }
    }
  }

  /** Calls the handler. Logs its exceptions, because a failure of the consumer must not stop the hardware; the queue can be armed again. */
  void callHandler() {
    try {
      handler.onCompletionEvent(this);
    } catch (VerbsException refused) {
      if (refused.errno() != VerbsException.Errno.ENODEV || !isHcaClosed()) {
        LOG.error("the handler of {} failed", this, refused);
      }
    } catch (RuntimeException e) {
      LOG.error("the handler of {} failed", this, e);
    }
  }

  /** Reports that the queue's actor runs. Hardware thread. */
  public void startActor(ActorRef<CqActor.Command> ref) {
    actor = ref;
    if (notifyOnStart && !ending) {
      notifyOnStart = false;
      notifyConsumer();
    }
  }

  public boolean isDestroyed() {
    return destroyed;
  }

  /** Marks the queue as destroyed and stops its actor. Hardware thread. */
  public void destroy() {
    destroyed = true;
    stopActor();
  }

  public int useCount() {
    return useCount;
  }

  public void use(int delta) {
    useCount += delta;
  }

  void stopActor() {
    if (actor != null) {
      actor.tell(CqActor.DESTROYED);
    }
  }

  @Override
  public String toString() {
    return "CompletionQueue[" + number + " " + size() + "/" + capacity + " " + context + "]";
  }
}

package dev.weft.hca;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.Check;
import dev.weft.fabric.time.Clock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A completion queue: a ring that the hardware thread fills and any thread polls. {@link #arm} asks for one notification, which the
 * queue's actor delivers in the receive context that the queue was created with; one that belongs to an actor tells that instead.
 *
 * <p>Bound: {@link #capacity} completions. One more is an overrun: the queue stops, its queue pairs go to ERR, an asynchronous event
 * tells; other queues are not touched.
 */
public final class CompletionQueue {
  /** What {@link #arm} found. */
  public enum Armed {
    /** The next completion will be notified. */
    ARMED,
    /** Completions are waiting already; poll before waiting. The queue is armed all the same. */
    COMPLETIONS_WAITING
  }

  static final int NOT_ARMED = 0;
  static final int ARMED_ANY = 1;
  static final int ARMED_SOLICITED = 2;

  private static final Logger LOG = LoggerFactory.getLogger(CompletionQueue.class);
  private static final VarHandle HEAD;
  private static final VarHandle TAIL;
  private static final VarHandle ARM;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(CompletionQueue.class, "head", long.class);
      TAIL = lookup.findVarHandle(CompletionQueue.class, "tail", long.class);
      ARM = lookup.findVarHandle(CompletionQueue.class, "armed", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Hca hca;
  private final int number;
  private final ReceiveContext context;
  private final CompletionHandler handler;
  /** The handler is an actor, which is told by the hardware thread; this queue has no actor of its own. */
  private final boolean tellsConsumer;
  private final ReentrantLock pollLock = new ReentrantLock();
  /**
   * Its length is a power of two. Replaced on the hardware thread by one with the same entries at the same positions. Who polls reads it
   * after {@link #tail}, so that it is not older than the last completion; an older one serves those before.
   */
  private volatile WorkCompletion[] ring;
  private volatile int capacity;
  /** Nobody else polls: nothing is locked. */
  private final boolean singleThreaded;
  /** Between startPoll and endPoll. Under the lock, but for a snapshot, which may be a moment old. */
  private boolean batch;
  /** Notes the time of completions; null if nobody asked for it. */
  private final Clock clock;
  private volatile long head;
  private volatile long tail;
  private volatile int armed;
  private volatile boolean overrun;
  private ActorRef<CqActor.Command> actor;
  /** A notification was told to the actor and has not begun. */
  private volatile boolean told;
  /** The HCA ends: notifications wait until everything is flushed. Hardware thread. */
  private boolean ending;
  private boolean notifyOnStart;
  private volatile Runnable watcher;
  int useCount;
  volatile boolean destroyed;
  long completions;
  volatile long notifications;

  CompletionQueue(Hca hca, int number, int capacity, ReceiveContext context, CompletionHandler handler) {
    this(hca, number, new CqExAttr(capacity, context, handler, false, false), null);
  }

  CompletionQueue(Hca hca, int number, CqExAttr attr, Clock clock) {
    this.hca = hca;
    this.number = number;
    this.capacity = attr.cqe();
    this.context = attr.context();
    this.handler = attr.handler();
    this.tellsConsumer = handler instanceof ActorNotice;
    this.singleThreaded = attr.singleThreaded();
    this.clock = attr.timestamps() ? clock : null;
    ring = newRing(capacity);
  }

  private static WorkCompletion[] newRing(int capacity) {
    WorkCompletion[] entries = new WorkCompletion[Integer.highestOneBit(Math.max(1, capacity - 1)) << 1];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = new WorkCompletion();
    }
    return entries;
  }

  HcaSnapshot.Cq snapshot() {
    return new HcaSnapshot.Cq(number, context, size(), capacity, isArmed(), overrun, completions, notifications, clock != null,
        singleThreaded, batch);
  }

  /** Number of this queue within its HCA. */
  public int number() {
    return number;
  }

  /** Completions that fit. */
  public int capacity() {
    return capacity;
  }

  public ReceiveContext context() {
    return context;
  }

  public Hca hca() {
    return hca;
  }

  /** How often it has notified. */
  public long notifications() {
    return notifications;
  }

  /** Completions waiting to be polled. */
  public int size() {
    return (int) (tail - head);
  }

  /** Whether a completion was lost because nobody polled in time. The queue delivers nothing any more. */
  public boolean isOverrun() {
    return overrun;
  }

  boolean isArmed() {
    return armed != NOT_ARMED;
  }

  CompletionHandler handler() {
    return handler;
  }

  /** Fills {@code into} with up to its length of completions, oldest first; returns how many. Any thread. */
  public int poll(WorkCompletion[] into) {
    Check.given("into", into);
    if (head == tail) {
      return 0;
    }
    lock();
    try {
      long from = head;
      int count = (int) Math.min(tail - from, into.length);
      WorkCompletion[] entries = ring;
      for (int i = 0; i < count; i++) {
        WorkCompletion entry = at(entries, from + i);
        into[i].copyFrom(entry);
        free(entry, from + i);
      }
      return count;
    } finally {
      unlock();
    }
  }

  /** Polls one completion; returns whether there was one. Any thread. */
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
      WorkCompletion entry = at(ring, from);
      into.copyFrom(entry);
      free(entry, from);
      return true;
    } finally {
      unlock();
    }
  }

  /** The oldest entry was read. Its place is free before the slots are: what is posted into them finds room here when it completes. */
  private void free(WorkCompletion entry, long position) {
    QueueSlots slots = entry.slots();
    long before = entry.slotsBefore();
    HEAD.setRelease(this, position + 1);
    if (slots != null) {
      slots.polled(before);
    }
  }

  private static WorkCompletion at(WorkCompletion[] entries, long position) {
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

  /** See {@link CompletionQueueEx#startPoll}; null if there is nothing. */
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

  /** Frees the entry that was read; answers the next or null. */
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

  /**
   * Changes how many completions fit; those that are there stay, and polling goes on meanwhile.
   *
   * @throws VerbsException EINVAL if {@code cqe} is less than what is there or more than the device allows
   */
  public void resize(int cqe) {
    hca.control(() -> {
      replaceRing(cqe);
      return null;
    });
  }

  private void replaceRing(int cqe) {
    int least = Math.max(1, size());
    int most = hca.settings().completionsMax();
    if (destroyed || cqe < least || cqe > most) {
      throw new VerbsException(VerbsException.Errno.EINVAL, this + (destroyed ? " is destroyed"
          : " cannot have " + cqe + " entries, must be from " + least + " to " + most));
    }
    WorkCompletion[] larger = newRing(cqe);
    for (long i = head; i < tail; i++) {
      larger[(int) i & larger.length - 1] = at(ring, i);
    }
    ring = larger;
    capacity = cqe;
  }

  /**
   * Asks for one notification at the next completion; with {@code solicitedOnly} at the next that is a solicited receive or an error.
   * Arming again before it fired changes nothing, except that any completion wins over solicited only. Any thread.
   *
   * @throws VerbsException EINVAL for a queue that is polled or destroyed; ENODEV if nothing is there and nothing will come, since the HCA was
   *     closed
   */
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
    if (isHcaClosed() && head == tail) { // Looked at last: either this is seen, or whoever closes it finds the queue armed.
      throw hca.refusal();
    }
    return Armed.ARMED;
  }

  /**
   * Takes back {@link #arm}: no completion notifies until the next arm. False if the queue was not armed, because it has notified or
   * was never asked to; the notification may then still be on its way. Any thread.
   */
  public boolean disarm() {
    return (int) ARM.getAndSet(this, NOT_ARMED) != NOT_ARMED;
  }

  /** Notifies as if an armed completion had come: for a consumer that stopped half-way and is not armed. Any thread. */
  public void notifyAgain() {
    if (tellsConsumer || actor != null) {
      notifyConsumer();
    }
  }

  private boolean isHcaClosed() {
    return hca != null && hca.isClosed();
  }

  private void notifyConsumer() {
    if (tellsConsumer) {
      handler.onCompletionEvent(this);
    } else {
      told = true;
      actor.tell(CqActor.NOTIFY);
    }
  }

  boolean hasActor() {
    return context != ReceiveContext.POLLING && !tellsConsumer;
  }

  /**
   * Has {@code watcher} called on the hardware thread after each completion, whether armed or not; null ends it. For simulated
   * consumers that poll, which must be told when to look. It must not block.
   */
  public void watch(Runnable newWatcher) {
    watcher = newWatcher;
  }

  /** The slot to fill before {@link #push}, or null if the queue is full or has overrun. Hardware thread. */
  WorkCompletion claim() {
    if (overrun || tail - head >= capacity) {
      return null;
    }
    return at(ring, tail);
  }

  void markOverrun() {
    overrun = true;
  }

  /** Makes the claimed slot visible and notifies if the queue is armed for it. Hardware thread. */
  void push(boolean solicitedOrError) {
    completions++;
    if (clock != null) {
      at(ring, tail).timestampNs = clock.nowNs();
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

  /** The actor has got a notification. */
  void notifying() {
    told = false;
  }

  /** The HCA ends. Hardware thread. */
  void beginEnd() {
    ending = true;
  }

  /** The HCA has ended: wakes who waits for a completion. The queue's actor may be gone. Hardware thread. */
  void notifyOfEnd(ReceiveContexts contexts) {
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

  /** A handler that throws has failed its consumer, not the hardware: it is reported, and the queue can be armed again. */
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

  /** The queue's actor runs. Hardware thread. */
  void startActor(ActorRef<CqActor.Command> ref) {
    actor = ref;
    if (notifyOnStart && !ending) {
      notifyOnStart = false;
      notifyConsumer();
    }
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

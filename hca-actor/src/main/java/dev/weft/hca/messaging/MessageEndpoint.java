package dev.weft.hca.messaging;

import akka.actor.typed.ActorRef;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveContexts;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WriteWatches;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * One completion queue and one handler for all connections of a protocol instance, in one receive context. Two ways to drive it:
 *
 * <ul>
 *   <li>By its context, after {@link #start}: the handler is called by an interrupt service routine, a task queue, a process or a
 *       polling loop, whatever the context says; the code of the handler is the same in all four.
 *   <li>By an owning actor: the notification runs {@code wake}, which tells the actor, which calls {@link #service} on its thread.
 * </ul>
 *
 * Servicing drains and arms again, so that at most one notification is outstanding and a burst of completions costs one.
 *
 * <p><b>Two stages</b> (seed 000 section 3.2). What {@link MessageHandler#tryMessage} cannot finish in ISR context is done in process
 * context by {@link MessageHandler#onMessage}. Until that is over the queue is not armed, so later events wait behind it, in order,
 * in the completion queue.
 *
 * <p><b>Selective polling</b> (seed 000 section 4). After {@link #expectReply} the queue is polled instead of armed, until the next
 * completion was handled or the limit is reached.
 */
public final class MessageEndpoint {
  private static final int BATCH = 32;
  /** Completions that one notification handles when the context drives the endpoint; the rest waits for the next. */
  private static final int BUDGET = 256;

  private final Hca hca;
  private final ProtectionDomain pd;
  private final MessageHandler handler;
  private final Runnable wake;
  private final CompletionQueue cq;
  private final int cqEntries;
  private final boolean solicitedOnly;
  private final WriteWatches watches;
  /** Mailboxes that were written to, in order; each at most once. */
  private final ArrayDeque<Mailbox> writtenTo = new ArrayDeque<>();
  private final Int2ObjectHashMap<QueuePairChannel> channels = new Int2ObjectHashMap<>();
  private final WorkCompletion[] batch = new WorkCompletion[BATCH];
  private final Runnable secondStage = this::onSecondStage;
  private ReceiveContexts.PollLoop loop;
  private int batchCount;
  private int batchNext;
  private int cqEntriesPromised;
  /** Callers that wait for a send completion, for room or for a notice: those are unsolicited. */
  private int completionsWanted;
  private boolean servicing;
  /** An event waits for process context, or is handled there. */
  private boolean inSecondStage;
  private boolean mayBlock;
  private final boolean contextMayBlock;
  private boolean polling;
  private long expectedWithinNs;
  private boolean closed;
  private long notifications;
  private long writeNotices;
  private long completions;
  private long burstMax;
  private long deferrals;
  private long deferred;
  private long pollPhases;
  private long pollTimeouts;

  /**
   * An endpoint driven by its owner.
   *
   * @param cqEntries completions that the queue holds: the sum of {@link ChannelSettings#cqEntries} of all channels
   * @param context who runs {@code wake}
   * @param solicitedOnly arm for solicited receives and errors only, as a client does that waits for replies
   * @param wake called once for each notification; must not block and usually tells the owning actor
   */
  public MessageEndpoint(Hca hca, ProtectionDomain pd, int cqEntries, ReceiveContext context, boolean solicitedOnly,
      MessageHandler handler, Runnable wake) {
    this(hca, pd, cqEntries, context, solicitedOnly, null, handler, wake);
  }

  /**
   * The same, where peers write their messages into mailboxes and {@code watches} tells of that. The completion queue is armed for errors
   * only, and while the end of a request of this side is waited for. Called on the hardware thread.
   */
  public MessageEndpoint(Hca hca, ProtectionDomain pd, int cqEntries, ReceiveContext context, WriteWatches watches,
      MessageHandler handler, Runnable wake) {
    this(hca, pd, cqEntries, context, true, Objects.requireNonNull(watches, "watches"), handler, Objects.requireNonNull(wake, "wake"));
  }

  private MessageEndpoint(Hca hca, ProtectionDomain pd, int cqEntries, ReceiveContext context, boolean solicitedOnly,
      WriteWatches watches, MessageHandler handler, Runnable wake) {
    this(hca, pd, context != ReceiveContext.ISR, solicitedOnly, watches, handler, wake, endpoint -> context == ReceiveContext.POLLING
        ? hca.createCq(cqEntries, context, null)
        : hca.createCq(cqEntries, context, queue -> endpoint.wake()));
  }

  private MessageEndpoint(Hca hca, ProtectionDomain pd, boolean contextMayBlock, boolean solicitedOnly, WriteWatches watches,
      MessageHandler handler, Runnable wake, Function<MessageEndpoint, CompletionQueue> creator) {
    this.hca = hca;
    this.pd = pd;
    this.solicitedOnly = solicitedOnly;
    this.watches = watches;
    this.handler = handler;
    this.wake = wake;
    this.contextMayBlock = contextMayBlock;
    this.mayBlock = contextMayBlock;
    this.cq = creator.apply(this);
    this.cqEntries = cq.capacity();
    for (int i = 0; i < BATCH; i++) {
      batch[i] = new WorkCompletion();
    }
  }

  /**
   * An endpoint that belongs to an actor, which is told {@code notice} once for each notification and then calls {@link #service}. The
   * actor's dispatcher says in which context that is.
   *
   * @param solicitedOnly as above
   * @param watches tells of messages that peers write into mailboxes, as above, for an actor of the hardware thread; null for messages that are sent
   */
  public <T> MessageEndpoint(Hca hca, ProtectionDomain pd, int cqEntries, ActorRef<T> owner, T notice, boolean solicitedOnly,
      WriteWatches watches, MessageHandler handler) {
    this(hca, pd, false, solicitedOnly || watches != null, watches, handler, () -> owner.tell(notice),
        endpoint -> hca.createCq(cqEntries, owner, notice));
  }

  /**
   * An endpoint driven by its context. The handler is called there and nowhere else once {@link #start} was called; until then the
   * caller may open channels.
   */
  public MessageEndpoint(Hca hca, ProtectionDomain pd, int cqEntries, ReceiveContext context, boolean solicitedOnly,
      MessageHandler handler) {
    this(hca, pd, cqEntries, context, solicitedOnly, handler, null);
  }

  /** Others have written to a mailbox. */
  void written(Mailbox mailbox) {
    if (!closed && mailbox.channel.isOpen() && !mailbox.isListed) {
      mailbox.isListed = true;
      writtenTo.add(mailbox);
      writeNotices++;
      wake();
    }
  }

  private void wake() {
    if (wake != null) {
      wake.run();
    } else {
      service(BUDGET);
    }
  }

  private void wakeAgain() {
    if (wake != null) {
      wake.run();
    } else {
      cq.notifyAgain();
    }
  }

  /** Lets the context drive the endpoint from now on. */
  public void start() {
    if (wake != null) {
      throw new IllegalStateException("this endpoint has an owner, which calls arm() and service()");
    }
    if (cq.context() == ReceiveContext.POLLING) {
      loop().start();
    } else if (arm() == CompletionQueue.Armed.COMPLETIONS_WAITING && cq.disarm()) {
      cq.notifyAgain();
    }
  }

  /** Closes all channels and destroys the completion queue. Idempotent. */
  public void close() {
    if (loop != null) {
      loop.close();
    }
    for (QueuePairChannel channel : List.copyOf(channels.values())) {
      channel.close();
    }
    if (!closed) {
      closed = true;
      hca.destroyCq(cq);
    }
  }

  CompletionQueue cq() {
    return cq;
  }

  MessageHandler handler() {
    return handler;
  }

  /** Creates a channel with a queue pair in RESET; refuses when the completion queue could overrun. */
  public QueuePairChannel open(ChannelSettings settings) {
    if (cqEntriesPromised + settings.cqEntries() > cqEntries) {
      throw new IllegalStateException("completion queue has " + cqEntries + " entries of which " + cqEntriesPromised
          + " are promised; this channel needs " + settings.cqEntries());
    }
    QueuePairChannel channel = new QueuePairChannel(this, hca, pd, settings, watches);
    cqEntriesPromised += settings.cqEntries();
    channels.put(channel.qp().qpNum(), channel);
    return channel;
  }

  void forget(QueuePairChannel channel) {
    if (channels.remove(channel.qp().qpNum()) != null) {
      cqEntriesPromised -= channel.settings().cqEntries();
      completionsWanted -= channel.completionsWanted();
    }
  }

  public int channelCount() {
    return channels.size();
  }

  /**
   * Handles the completions that are there, {@code budget} at most, then arms. When the budget is used up it does not arm
   * but asks to be called again, so that others get their turn. Returns the number handled; none while an event waits for
   * process context.
   */
  public int service(int budget) {
    if (closed || inSecondStage || polling) {
      return 0;
    }
    notifications++;
    return serviceNow(budget);
  }

  /**
   * The last thing that this does is to arm, to defer, to ask for a call or to start polling: from then on the next event may be
   * handled on another thread.
   */
  private int serviceNow(int budget) {
    int handled = 0;
    while (true) {
      handled += drainNow(budget - handled);
      burstMax = Math.max(burstMax, handled);
      if (inSecondStage) {
        hca.contexts().defer(secondStage);
        return handled;
      }
      if (handled >= budget) {
        mayBlock = contextMayBlock;
        wakeAgain();
        return handled;
      }
      if (expectedWithinNs > 0) {
        startPolling();
        return handled;
      }
      if (isArmedFor(rearm())) {
        return handled;
      }
    }
  }

  private CompletionQueue.Armed rearm() {
    mayBlock = contextMayBlock;
    return arm();
  }

  /** Whether there is nothing more to do here after arming. */
  private boolean isArmedFor(CompletionQueue.Armed armed) {
    return armed == CompletionQueue.Armed.ARMED || (wake == null && !cq.disarm());
  }

  /** Asks for the next notification without draining. When the HCA was closed and all was handled there is none. */
  public CompletionQueue.Armed arm() {
    try {
      return cq.arm(solicitedOnly && completionsWanted == 0);
    } catch (VerbsException refused) {
      if (refused.errno() != VerbsException.Errno.ENODEV) {
        throw refused;
      }
      return CompletionQueue.Armed.ARMED;
    }
  }

  /** Handles completions without arming, as a polling consumer does; returns how many, {@code budget} at most. */
  public int drain(int budget) {
    int handled = drainNow(budget);
    if (inSecondStage) {
      hca.contexts().defer(secondStage);
    }
    return handled;
  }

  private int drainNow(int budget) {
    if (servicing) {
      throw new IllegalStateException("the message handler must not service its own endpoint");
    }
    servicing = true;
    try {
      int handled = 0;
      while (handled < budget) {
        if (batchNext == batchCount) {
          batchCount = cq.poll(batch);
          batchNext = 0;
        }
        int before = batchNext;
        boolean finished = dispatchBatch();
        handled += batchNext - before;
        if (!finished || batchCount < BATCH) {
          break;
        }
      }
      handled += readMailboxes(budget - handled);
      completions += handled;
      if (mayBlock && !contextMayBlock && !polling) {
        deferred += handled;
      }
      return handled;
    } finally {
      servicing = false;
    }
  }

  /** Handles messages that lie in mailboxes that were written to, and arms those that are empty; returns how many, {@code budget} at most. */
  private int readMailboxes(int budget) {
    int handled = 0;
    while (!writtenTo.isEmpty() && handled < budget) {
      Mailbox mailbox = writtenTo.peek();
      boolean armed = false;
      while (mailbox.channel.isOpen() && handled < budget && (mailbox.hasMessage() || !armed)) {
        if (mailbox.hasMessage()) {
          mailbox.channel.onWritten(mailbox);
          handled++;
        } else {
          mailbox.isListed = false; // Before it is armed: what comes from now on is told, unless it is seen here.
          mailbox.arm();
          armed = true;
        }
      }
      if (!mailbox.channel.isOpen() || (armed && !mailbox.hasMessage())) {
        writtenTo.poll();
      } else {
        mailbox.isListed = true; // The budget is used up; nobody may tell of what was there before it was armed.
      }
    }
    return handled;
  }

  /** False if an event of the batch, the next one, has to wait for process context. */
  private boolean dispatchBatch() {
    while (batchNext < batchCount) {
      if (!dispatch(batch[batchNext])) {
        inSecondStage = true;
        deferrals++;
        return false;
      }
      batchNext++;
    }
    return true;
  }

  /** In process context: the event that could not be handled, and what has come since. */
  private void onSecondStage() {
    if (closed) {
      return;
    }
    inSecondStage = false;
    mayBlock = true;
    serviceNow(BUDGET);
  }

  private boolean dispatch(WorkCompletion completion) {
    QueuePairChannel channel = channels.get(completion.qpNum());
    if (channel == null) {
      return true; // closed while its last completions were in the queue
    }
    boolean isReceive = (completion.wrId() & QueuePairChannel.RECEIVE_BIT) != 0;
    if (!isReceive) {
      channel.onSendCompletion(completion.wrId(), completion.status());
    }
    if (!completion.isSuccess()) {
      channel.onError(completion.status(), completion.vendorErr());
    } else if (isReceive) {
      int slot = (int) (completion.wrId() & ~QueuePairChannel.RECEIVE_BIT);
      if (completion.opcode() == WcOpcode.RECV_RDMA_WITH_IMM) {
        channel.onImmediate(slot, completion.immData(), completion.byteLen());
        return true;
      }
      return channel.onReceive(slot, completion.byteLen(), mayBlock);
    }
    return true;
  }

  // Selective polling.

  /**
   * The caller waits for a reply and has nothing else to do: until the next completion, but for {@code maxNs} nanoseconds at most, the
   * queue is polled instead of armed. A handler whose reply has not come yet calls it again. Pays off where a processor is free for
   * it (seed 000 section 5.1). For endpoints that their context drives; without effect in POLLING, which polls always.
   */
  public void expectReply(long maxNs) {
    if (maxNs <= 0) {
      throw new IllegalArgumentException("a reply is expected within " + maxNs + " ns; it must be at least 1");
    }
    if (wake != null) {
      throw new IllegalStateException("this endpoint has an owner, which may call drain() as long as it likes");
    }
    if (cq.context() == ReceiveContext.POLLING) {
      return;
    }
    expectedWithinNs = maxNs;
    // Where the queue is being serviced, or has notified and will be, that goes on to poll.
    if (!servicing && !polling && !inSecondStage && cq.disarm()) {
      startPolling();
    }
  }

  private void startPolling() {
    polling = true;
    pollPhases++;
    long maxNs = expectedWithinNs;
    expectedWithinNs = 0;
    loop().start(maxNs, this::onPolledInVain);
  }

  private ReceiveContexts.PollLoop loop() {
    if (loop == null) {
      loop = hca.contexts().pollLoop(hca.nodeName() + "-" + cq.number(), cq, this::onPolled);
    }
    return loop;
  }

  private void onPolled() {
    if (cq.context() == ReceiveContext.POLLING) {
      drain(BUDGET);
      return;
    }
    mayBlock = true;
    drainNow(BUDGET);
    if (expectedWithinNs == 0) {
      stopPolling();
    } else {
      startPolling();
    }
  }

  private void onPolledInVain() {
    pollTimeouts++;
    stopPolling();
  }

  private void stopPolling() {
    loop.stop();
    polling = false;
    if (rearm() == CompletionQueue.Armed.COMPLETIONS_WAITING && cq.disarm()) {
      cq.notifyAgain();
    }
  }

  /** A channel waits for a send completion, which is unsolicited: the queue must be armed for all. */
  void completionWanted() {
    completionsWanted++;
    if (solicitedOnly && !servicing && !inSecondStage && !polling && arm() == CompletionQueue.Armed.COMPLETIONS_WAITING) {
      wakeAgain();
    }
  }

  void completionGot() {
    completionsWanted--;
  }

  public EndpointStats stats() {
    return new EndpointStats(channels.size(), notifications, completions, burstMax, cqEntries, cqEntriesPromised, deferrals,
        deferred, pollPhases, pollTimeouts, cq.notifications(), writeNotices);
  }
}

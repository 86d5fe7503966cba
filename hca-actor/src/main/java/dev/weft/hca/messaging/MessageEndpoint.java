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
 * One completion queue and one handler for all connections of a protocol instance, in one receive context. It runs in one of two ways:
 *
 * <ul>
 *   <li>By its context, after {@link #start}: an interrupt service routine, a task queue, a process or a polling loop calls the handler,
 *       depending on the context. The code of the handler is the same in all four.
 *   <li>By an owning actor: the notification runs {@code wake}, which sends a message to the actor. The actor calls {@link #service} on its thread.
 * </ul>
 *
 * Servicing drains the queue and arms it again. So at most one notification is outstanding, and a burst of completions needs only one.
 *
 * <p><b>Two stages</b> (Kernel DSM section 3.2). If {@link MessageHandler#tryMessage} cannot finish a message in ISR context, {@link
 * MessageHandler#onMessage} handles it in process context. Until then the queue is not armed, so later events wait in order in the completion queue.
 *
 * <p><b>Selective polling</b> (Kernel DSM section 4). After {@link #expectReply} the endpoint polls the queue instead of arming it, until it has handled
 * the next completion or reaches the time limit.
 */
public final class MessageEndpoint {
  private static final int BATCH = 32;
  /** The number of completions handled per notification when the context drives the endpoint; the rest waits for the next notification. */
  private static final int BUDGET = 256;

  private final Hca hca;
  private final ProtectionDomain pd;
  private final MessageHandler handler;
  private final Runnable wake;
  private final CompletionQueue cq;
  private final int cqEntries;
  private final boolean solicitedOnly;
  private final WriteWatches watches;
  /** Mailboxes that were written to, in order; each is listed at most once. */
  private final ArrayDeque<Mailbox> writtenTo = new ArrayDeque<>();
  private final Int2ObjectHashMap<QueuePairChannel> channels = new Int2ObjectHashMap<>();
  private final WorkCompletion[] batch = new WorkCompletion[BATCH];
  private final Runnable secondStage = this::onSecondStage;
  private ReceiveContexts.PollLoop loop;
  private int batchCount;
  private int batchNext;
  private int cqEntriesPromised;
  /** Number of waits for a send completion, because of room or a notice. Such completions are unsolicited. */
  private int completionsWanted;
  private boolean servicing;
  /** Whether an event waits for process context or is being handled there. */
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
   * Creates an endpoint that its owner drives.
   *
   * @param cqEntries capacity of the completion queue: the sum of {@link ChannelSettings#cqEntries} of all channels
   * @param context the context that runs {@code wake}
   * @param solicitedOnly whether to arm only for solicited receives and errors, as for a client that waits for replies
   * @param wake called once for each notification; must not block; usually sends a message to the owning actor
   */
  public MessageEndpoint(Hca hca, ProtectionDomain pd, int cqEntries, ReceiveContext context, boolean solicitedOnly,
      MessageHandler handler, Runnable wake) {
    this(hca, pd, cqEntries, context, solicitedOnly, null, handler, wake);
  }

  /**
   * Creates an endpoint that its owner drives and whose peers write their messages into mailboxes. {@code watches} notifies of these writes. The
   * completion queue is armed for errors, and for other completions only while this side waits for one of its own requests. Call it on the hardware
   * thread.
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
   * Creates an endpoint that an actor drives. The actor receives {@code notice} once for each notification and then calls {@link #service}. The
   * actor's dispatcher determines the context.
   *
   * @param solicitedOnly as above
   * @param watches for an actor on the hardware thread whose peers write their messages into mailboxes, as above; null if the peers send them
   */
  public <T> MessageEndpoint(Hca hca, ProtectionDomain pd, int cqEntries, ActorRef<T> owner, T notice, boolean solicitedOnly,
      WriteWatches watches, MessageHandler handler) {
    this(hca, pd, false, solicitedOnly || watches != null, watches, handler, () -> owner.tell(notice),
        endpoint -> hca.createCq(cqEntries, owner, notice));
  }

  /**
   * Creates an endpoint that its context drives. After {@link #start}, only this context calls the handler; until then the caller may open channels.
   */
  public MessageEndpoint(Hca hca, ProtectionDomain pd, int cqEntries, ReceiveContext context, boolean solicitedOnly,
      MessageHandler handler) {
    this(hca, pd, cqEntries, context, solicitedOnly, handler, null);
  }

  /** Reports that a peer has written to a mailbox. */
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

  /** Starts the endpoint; from now on its context drives it. */
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

  /** Creates a channel with a queue pair in RESET; throws IllegalStateException if the completion queue could then overrun. */
  public QueuePairChannel open(ChannelSettings settings) {
    if (cqEntriesPromised + settings.cqEntries() > cqEntries) {
      throw new IllegalStateException("the completion queue has " + cqEntries + " entries, of which other channels use " + cqEntriesPromised
          + "; this channel needs " + settings.cqEntries() + ": create the endpoint with more entries");
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
   * Handles at most {@code budget} completions, then arms the queue. If the budget is used up, it does not arm the queue but requests
   * another call, so that others get their turn. Returns the number of completions handled; 0 while an event waits for process context.
   */
  public int service(int budget) {
    if (closed || inSecondStage || polling) {
      return 0;
    }
    notifications++;
    return serviceNow(budget);
  }

  /**
   * Services the queue. Its last action is to arm, to defer, to request a call or to start polling, because from then on another thread
   * may handle the next event.
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

  /** Whether this thread has nothing more to do after arming. */
  private boolean isArmedFor(CompletionQueue.Armed armed) {
    return armed == CompletionQueue.Armed.ARMED || (wake == null && !cq.disarm());
  }

  /** Requests the next notification without draining the queue. If the HCA is closed and everything is handled, none will come. */
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

  /** Handles at most {@code budget} completions without arming the queue, for a polling consumer; returns the number handled. */
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

  /** Handles at most {@code budget} messages in the listed mailboxes and arms the empty ones; returns the number of messages handled. */
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
          mailbox.isListed = false; // Before arming: the watch then reports later writes, unless this loop sees them.
          mailbox.arm();
          armed = true;
        }
      }
      if (!mailbox.channel.isOpen() || (armed && !mailbox.hasMessage())) {
        writtenTo.poll();
      } else {
        mailbox.isListed = true; // The budget is used up, and the watch does not report messages that arrived before arming.
      }
    }
    return handled;
  }

  /** Handles the rest of the batch. Returns false if its next event has to wait for process context. */
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

  /** Handles, in process context, the deferred event and the events that have arrived since. */
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
      return true; // The channel was closed while its last completions were in the queue.
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
   * Reports that the caller waits for a reply and has nothing else to do. Until the next completion, but for at most {@code maxNs} nanoseconds, the
   * endpoint polls the queue instead of arming it. A handler whose reply has not arrived yet calls this method again. Polling helps if a processor is
   * free for it (Kernel DSM section 5.1). Only for endpoints that their context drives; without effect in POLLING, which always polls.
   */
  public void expectReply(long maxNs) {
    if (maxNs <= 0) {
      throw new IllegalArgumentException("maxNs is " + maxNs + ", must be at least 1");
    }
    if (wake != null) {
      throw new IllegalStateException("this endpoint has an owner, which polls with drain() instead");
    }
    if (cq.context() == ReceiveContext.POLLING) {
      return;
    }
    expectedWithinNs = maxNs;
    // If the queue is being serviced, or a notification is on its way, that servicing starts to poll.
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

  /** Reports that a channel waits for a send completion. It is unsolicited, so the queue must be armed for all completions. */
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

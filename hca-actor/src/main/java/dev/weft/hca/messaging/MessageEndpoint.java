package dev.weft.hca.messaging;

import dev.weft.hca.CompletionQueue;
import dev.weft.hca.Hca;
import dev.weft.hca.ProtectionDomain;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.WorkCompletion;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * One completion queue and one handler for all connections of a protocol instance. The completion queue's notification
 * runs {@code wake}, which tells the owning actor; the actor then calls {@link #service} on its own thread. That drains
 * and arms again, so that at most one notification is outstanding and a burst of completions costs one.
 */
public final class MessageEndpoint {
  private static final int BATCH = 32;

  private final Hca hca;
  private final ProtectionDomain pd;
  private final MessageHandler handler;
  private final Runnable wake;
  private final CompletionQueue cq;
  private final int cqEntries;
  private final boolean solicitedOnly;
  private final Int2ObjectHashMap<MessageChannel> channels = new Int2ObjectHashMap<>();
  private final WorkCompletion[] batch = new WorkCompletion[BATCH];
  private int cqEntriesPromised;
  /** Callers that wait for a send completion, for room or for a notice: those are unsolicited. */
  private int completionsWanted;
  private boolean servicing;
  private boolean closed;
  private long notifications;
  private long completions;
  private long burstMax;

  /**
   * @param cqEntries completions that the queue holds: the sum of {@link ChannelSettings#cqEntries} of all channels
   * @param context who runs {@code wake}
   * @param solicitedOnly arm for solicited receives and errors only, as a client does that waits for replies
   * @param wake called once for each notification; must not block and usually tells the owning actor
   */
  public MessageEndpoint(Hca hca, ProtectionDomain pd, int cqEntries, ReceiveContext context, boolean solicitedOnly,
      MessageHandler handler, Runnable wake) {
    this.hca = hca;
    this.pd = pd;
    this.cqEntries = cqEntries;
    this.solicitedOnly = solicitedOnly;
    this.handler = handler;
    this.wake = wake;
    this.cq = context == ReceiveContext.POLLING
        ? hca.createCq(cqEntries, context, null)
        : hca.createCq(cqEntries, context, queue -> wake.run());
    for (int i = 0; i < BATCH; i++) {
      batch[i] = new WorkCompletion();
    }
  }

  /** Closes all channels and destroys the completion queue. Idempotent. */
  public void close() {
    for (MessageChannel channel : List.copyOf(channels.values())) {
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
  public MessageChannel open(ChannelSettings settings) {
    if (cqEntriesPromised + settings.cqEntries() > cqEntries) {
      throw new IllegalStateException("completion queue has " + cqEntries + " entries of which " + cqEntriesPromised
          + " are promised; this channel needs " + settings.cqEntries());
    }
    MessageChannel channel = new MessageChannel(this, hca, pd, settings);
    cqEntriesPromised += settings.cqEntries();
    channels.put(channel.qp().qpNum(), channel);
    return channel;
  }

  void forget(MessageChannel channel) {
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
   * but calls {@code wake} again, so that other actors get their turn. Returns the number handled.
   */
  public int service(int budget) {
    notifications++;
    int handled = drain(budget);
    while (handled < budget) {
      if (arm() == CompletionQueue.Armed.ARMED) {
        return noteBurst(handled);
      }
      int more = drain(budget - handled);
      if (more == 0) {
        return noteBurst(handled);
      }
      handled += more;
    }
    wake.run();
    return noteBurst(handled);
  }

  private int noteBurst(int handled) {
    burstMax = Math.max(burstMax, handled);
    return handled;
  }

  /** Asks for the next notification without draining. */
  public CompletionQueue.Armed arm() {
    return cq.arm(solicitedOnly && completionsWanted == 0);
  }

  /** Handles completions without arming, as a polling consumer does; returns how many, {@code budget} at most. */
  public int drain(int budget) {
    if (servicing) {
      throw new IllegalStateException("the message handler must not service its own endpoint");
    }
    servicing = true;
    try {
      int handled = 0;
      while (handled < budget) {
        int count = cq.poll(batch);
        for (int i = 0; i < count; i++) {
          dispatch(batch[i]);
        }
        handled += count;
        if (count < BATCH) {
          break;
        }
      }
      completions += handled;
      return handled;
    } finally {
      servicing = false;
    }
  }

  private void dispatch(WorkCompletion completion) {
    MessageChannel channel = channels.get(completion.qpNum());
    if (channel == null) {
      return; // closed while its last completions were in the queue
    }
    boolean isReceive = (completion.wrId() & MessageChannel.RECEIVE_BIT) != 0;
    if (!isReceive) {
      channel.onSendCompletion(completion.wrId(), completion.status());
    }
    if (!completion.isSuccess()) {
      channel.onError(completion.status(), completion.vendorErr());
    } else if (isReceive) {
      channel.onReceive((int) (completion.wrId() & ~MessageChannel.RECEIVE_BIT), completion.byteLen());
    }
  }

  /** A channel waits for a send completion, which is unsolicited: the queue must be armed for all. */
  void completionWanted() {
    completionsWanted++;
    if (solicitedOnly && !servicing && arm() == CompletionQueue.Armed.COMPLETIONS_WAITING) {
      wake.run();
    }
  }

  void completionGot() {
    completionsWanted--;
  }

  /** Closes all channels and destroys the completion queue. Not from within the handler. */
  public void close() {
    if (servicing) {
      throw new IllegalStateException("the message handler must not close its own endpoint");
    }
    for (MessageChannel channel : channels.values().toArray(new MessageChannel[0])) {
      channel.close();
    }
    hca.destroyCq(cq);
  }

  public EndpointStats stats() {
    return new EndpointStats(channels.size(), notifications, completions, burstMax, cqEntries, cqEntriesPromised);
  }
}

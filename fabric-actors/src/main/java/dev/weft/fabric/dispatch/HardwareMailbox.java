package dev.weft.fabric.dispatch;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.DeadLetter;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.MailboxSelector;
import akka.dispatch.Envelope;
import akka.dispatch.MailboxType;
import akka.dispatch.MessageQueue;
import akka.dispatch.ProducesMessageQueue;
import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.fabric.HardwareMessage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Bounded mailboxes of hardware actors. Link credits bound the packets that can wait here, and queue pairs, timers and commands the rest, so
 * only a defect fills one. A full mailbox rejects the message: it {@link HardwareMessage#rejected frees} what the message holds, counts and
 * logs it, and gives it to Akka's dead letters. The sender does not wait. Named by configuration.
 */
public final class HardwareMailbox implements MailboxType, ProducesMessageQueue<HardwareMailbox.Queue> {
  private static final Logger LOG = LoggerFactory.getLogger(HardwareMailbox.class);
  private static final String PATH = HardwareDispatcher.CONFIG_PATH + ".mailbox";
  private static final Check.Section LIMITS = new Check.Section(PATH);

  private final int capacity;

  /** Called by Akka. */
  public HardwareMailbox(ActorSystem.Settings settings, Config config) {
    capacity = config.getInt("mailbox-capacity");
    LIMITS.check("mailbox-capacity", capacity, 16, 1 << 28);
  }

  /** Returns the properties of a hardware actor: the hardware dispatcher, then this mailbox, in the chain that Akka makes of them. */
  static DispatcherSelector selector() {
    return (DispatcherSelector) MailboxSelector.fromConfig(PATH).withDispatcherFromConfig(HardwareDispatcher.CONFIG_PATH);
  }

  @Override
  public MessageQueue create(Option<ActorRef> owner, Option<ActorSystem> system) {
    return new Queue(capacity, system.isDefined() ? system.get().deadLetters() : ActorRef.noSender());
  }

  /**
   * First in, first out, for many senders and one receiver: a linked list whose nodes carry their number. So a sender knows the length
   * from the last node and the number of the first one, and needs no counter that all threads write.
   */
  public static final class Queue implements MessageQueue {
    private static final VarHandle LAST;
    private static final VarHandle NEXT;
    private static final VarHandle RECEIVED;

    static {
      try {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        LAST = lookup.findVarHandle(Queue.class, "last", Node.class);
        RECEIVED = lookup.findVarHandle(Queue.class, "received", Node.class);
        NEXT = lookup.findVarHandle(Node.class, "next", Node.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private static final class Node {
      private Envelope envelope;
      private int number;
      private volatile Node next;
    }

    private final int capacity;
    private final ActorRef deadLetters;
    private final AtomicLong rejected = new AtomicLong();
    /** The node of the message that was received last; written by the receiver. */
    private volatile Node received = new Node();
    private volatile Node last = received;
    /** Number of the first message that may be too many. Perhaps too low, never too high; senders renew it when they reach it. */
    private int limit;

    Queue(int capacity, ActorRef deadLetters) {
      this.capacity = capacity;
      this.deadLetters = deadLetters;
    }

    @Override
    public void enqueue(ActorRef receiver, Envelope envelope) {
      Node node = new Node();
      node.envelope = envelope;
      Node before;
      do {
        before = last;
        if (before.number - limit >= 0 && isFull(before)) {
          reject(receiver, envelope);
          return;
        }
        node.number = before.number + 1;
      } while (!LAST.compareAndSet(this, before, node));
      NEXT.setRelease(before, node);
    }

    private boolean isFull(Node before) {
      int renewed = received.number + capacity;
      limit = renewed;
      return before.number - renewed >= 0;
    }

    private void reject(ActorRef receiver, Envelope envelope) {
      long count = rejected.incrementAndGet();
      if (Long.bitCount(count) == 1) {
        LOG.error("the mailbox of {} holds {}.mailbox-capacity = {} messages and rejects more ({} so far)", receiver, PATH, capacity, count);
      }
      if (envelope.message() instanceof HardwareMessage message) {
        message.rejected();
      }
      if (deadLetters != null) {
        deadLetters.tell(new DeadLetter(envelope.message(), envelope.sender(), receiver), envelope.sender());
      }
    }

    /** Returns the number of messages that were rejected so far. */
    long rejected() {
      return rejected.get();
    }

    @Override
    public Envelope dequeue() {
      Node node = received;
      Node next = node.next;
      if (next == null) {
        if (node == last) {
          return null;
        }
        while ((next = node.next) == null) { // The sender is about to link it.
          Thread.onSpinWait();
        }
      }
      Envelope envelope = next.envelope;
      next.envelope = null;
      RECEIVED.setRelease(this, next);
      NEXT.setRelease(node, null); // An old node must not keep younger ones alive.
      return envelope;
    }

    @Override
    public int numberOfMessages() {
      return last.number - received.number;
    }

    @Override
    public boolean hasMessages() {
      return received != last;
    }

    @Override
    public void cleanUp(ActorRef owner, MessageQueue toDeadLetters) {
      for (Envelope envelope = dequeue(); envelope != null; envelope = dequeue()) {
        toDeadLetters.enqueue(owner, envelope);
      }
    }
  }
}

package dev.weft.fabric.time;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.dispatch.Envelope;
import akka.dispatch.MailboxType;
import akka.dispatch.MessageQueue;
import akka.dispatch.ProducesMessageQueue;
import akka.dispatch.UnboundedMessageQueueSemantics;
import com.typesafe.config.Config;
import scala.Option;

/**
 * Mailboxes of virtual time. One thread adds and removes messages, so a ring without a node for each message is enough. The mailbox also
 * keeps the hash of its actor's path, which {@link ReadyList} would otherwise compute at every step. Named by configuration.
 */
public final class VirtualMailbox implements MailboxType, ProducesMessageQueue<VirtualMailbox.Queue> {
  /** Called by Akka. */
  public VirtualMailbox(ActorSystem.Settings settings, Config config) {}

  @Override
  public MessageQueue create(Option<ActorRef> owner, Option<ActorSystem> system) {
    if (system.isEmpty() || !(system.get().scheduler() instanceof VirtualScheduler scheduler)) {
      throw new IllegalArgumentException("mailboxes of virtual time need akka.scheduler.implementation = "
          + VirtualScheduler.class.getName());
    }
    return new Queue(scheduler.time());
  }

  /** First in, first out. Unbounded like Akka's own queues; {@code max-pending} bounds the number of waiting mailboxes. */
  public static final class Queue implements MessageQueue, UnboundedMessageQueueSemantics {
    private static final int INITIAL_CAPACITY = 4;

    private final VirtualTime time;
    /** Hash of the actor's path; 0 until its first use. */
    long pathHash;
    private Envelope[] ring;
    private int head;
    private int count;

    private Queue(VirtualTime time) {
      this.time = time;
    }

    @Override
    public void enqueue(ActorRef receiver, Envelope envelope) {
      time.requireOwner();
      if (ring == null) {
        ring = new Envelope[INITIAL_CAPACITY];
      } else if (count == ring.length) {
        grow();
      }
      ring[(head + count++) & (ring.length - 1)] = envelope;
    }

    private void grow() {
      Envelope[] larger = new Envelope[2 * ring.length];
      for (int i = 0; i < count; i++) {
        larger[i] = ring[(head + i) & (ring.length - 1)];
      }
      ring = larger;
      head = 0;
    }

    @Override
    public Envelope dequeue() {
      if (count == 0) {
        return null;
      }
      Envelope envelope = ring[head];
      ring[head] = null;
      head = (head + 1) & (ring.length - 1);
      count--;
      return envelope;
    }

    @Override
    public int numberOfMessages() {
      return count;
    }

    @Override
    public boolean hasMessages() {
      return count > 0;
    }

    @Override
    public void cleanUp(ActorRef owner, MessageQueue deadLetters) {
      for (Envelope envelope = dequeue(); envelope != null; envelope = dequeue()) {
        deadLetters.enqueue(owner, envelope);
      }
    }
  }
}

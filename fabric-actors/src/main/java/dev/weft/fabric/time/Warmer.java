package dev.weft.fabric.time;

import akka.actor.ActorCell;
import akka.actor.ActorRef;
import akka.actor.ActorRefWithCell;
import akka.actor.typed.internal.InterceptorImpl;
import akka.actor.typed.internal.adapter.ActorAdapter;
import akka.actor.typed.internal.adapter.ActorRefAdapter;
import akka.dispatch.Mailbox;
import dev.weft.fabric.HardwareActor;

/**
 * Looks at what the next steps will read, for many of them at a time, so that the processor fetches it together. Each actor is a chain of
 * a dozen references; of a thousand hosts they are not in the cache, and a step that follows its chain alone waits for memory at each
 * link. Changes nothing.
 */
final class Warmer {
  /** Fewer than this are not worth the look. */
  static final int BATCH_MIN = 6;
  static final int BATCH_MAX = 64;

  /** Targets of events, for {@link #mailboxesOf}. */
  final Object[] targets = new Object[BATCH_MAX];
  private final ActorRef[] refs = new ActorRef[BATCH_MAX];
  private final ActorCell[] cells = new ActorCell[BATCH_MAX];
  private final Mailbox[] mailboxes = new Mailbox[BATCH_MAX];
  private final Object[] next = new Object[BATCH_MAX];
  private final Object[] links = new Object[BATCH_MAX];
  private final Runnable[] ready = new Runnable[BATCH_MAX];
  private int readyCount;
  /** What was read has to go somewhere, or the compiler would not read it. */
  private int seen;

  /** Depends on everything read so far. */
  int seen() {
    return seen;
  }

  /** The ways from events' targets to mailboxes; {@link #targets} holds that many. */
  void mailboxesOf(int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      refs[i] = targets[i] instanceof ActorRefAdapter<?> adapter ? adapter.classicRef() : null;
    }
    for (int i = 0; i < count; i++) {
      cells[i] = refs[i] instanceof ActorRefWithCell ref && ref.underlying() instanceof ActorCell cell ? cell : null;
    }
    for (int i = 0; i < count; i++) {
      mailboxes[i] = cells[i] == null ? null : cells[i].mailbox();
    }
    for (int i = 0; i < count; i++) {
      links[i] = mailboxes[i] == null ? null : mailboxes[i].messageQueue();
      sum += mailboxes[i] == null ? 0 : mailboxes[i].currentStatus();
    }
    for (int i = 0; i < count; i++) {
      sum += links[i] instanceof VirtualMailbox.Queue queue ? queue.look() : 0;
    }
    seen += sum;
  }

  /** A task has become ready; more than {@link #BATCH_MAX} are not looked at. */
  void ready(Runnable task) {
    if (readyCount < BATCH_MAX) {
      ready[readyCount++] = task;
    }
  }

  boolean hasBatch() {
    return readyCount >= BATCH_MIN;
  }

  /** What became ready has run: time goes on. */
  void forget() {
    readyCount = 0;
  }

  /** The ways from ready mailboxes to behaviours and messages. */
  void actorsOfReady() {
    int sum = 0;
    int count = readyCount;
    readyCount = 0;
    for (int i = 0; i < count; i++) {
      mailboxes[i] = ready[i] instanceof Mailbox mailbox ? mailbox : null;
      cells[i] = mailboxes[i] == null ? null : mailboxes[i].actor();
      links[i] = mailboxes[i] != null && mailboxes[i].messageQueue() instanceof VirtualMailbox.Queue queue ? queue.peek() : null;
    }
    for (int i = 0; i < count; i++) {
      next[i] = cells[i] == null ? null : cells[i].actor();
      links[i] = links[i] instanceof akka.dispatch.Envelope envelope ? envelope.message() : null;
    }
    for (int i = 0; i < count; i++) {
      if (next[i] instanceof ActorAdapter<?> adapter) {
        next[i] = adapter.currentBehavior();
      }
      sum += links[i] instanceof Runnable ? 1 : 0;
    }
    for (int i = 0; i < count; i++) {
      // Actors below /user are spawned under a supervisor.
      next[i] = next[i] instanceof InterceptorImpl<?, ?> supervised ? supervised.nestedBehavior() : next[i];
    }
    for (int i = 0; i < count; i++) {
      if (next[i] instanceof HardwareActor<?> actor && links[i] != null) {
        sum += look(actor, links[i]);
      }
    }
    seen += sum;
  }

  @SuppressWarnings("unchecked") // the message is in the mailbox of that actor
  private static <T> int look(HardwareActor<T> actor, Object message) {
    return actor.look((T) message);
  }
}

package dev.weft.dsm.objects;

import akka.actor.typed.ActorRef;
import dev.weft.dsm.access.InPlace;
import dev.weft.hca.node.Interrupts;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** The calls of a node's threads to its actor: they ask and wait, and change no rights. Any thread. */
public final class NodeCalls {
  static final long FOREVER_NS = Long.MAX_VALUE / 4;

  private final DsmParts parts;
  private final ActorRef<NodeCommand> actor;
  private final int number;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** @param number this node's number in the space */
  public NodeCalls(DsmParts parts, ActorRef<NodeCommand> actor, int number) {
    this.parts = parts;
    this.actor = actor;
    this.number = number;
  }

  /** This node's number in the space. */
  public int node() {
    return number;
  }

  /** Whether the node has been closed. */
  public boolean isClosed() {
    return closed.get();
  }

  /** Closes the node; returns false if it was closed already. */
  public boolean close() {
    return closed.compareAndSet(false, true);
  }

  /** The duration in nanoseconds, cut to the longest possible wait. */
  static long nanos(Duration max) {
    Objects.requireNonNull(max, "max");
    return max.isNegative() ? 0 : max.compareTo(Duration.ofNanos(FOREVER_NS)) > 0 ? FOREVER_NS : max.toNanos();
  }

  /** Sends the actor a wait, and waits for its end; throws its error. */
  public <W extends Wait> W await(W wait) {
    requireRoom();
    tellAndAwait(wait, wait, FOREVER_NS);
    wait.check();
    return wait;
  }

  /** Throws a StackOverflowError if the calling thread lacks the stack for a wait. */
  void requireRoom() {
    parts.waits().requireRoom();
  }

  /** Sends the actor a command and waits for its result; otherwise as {@link #awaitTold}. */
  public boolean tellAndAwait(NodeCommand command, Wait wait, long maxNs) {
    InPlace.mine().requireOutside();
    checkOpen();
    parts.access().costs().enter();
    return mustBeOver(wait, parts.waits().await(() -> actor.tell(command), isOver(wait), maxNs));
  }

  /** Whether a wait is over, or the actor handles no messages any more. */
  public BooleanSupplier isOver(Wait wait) {
    return () -> wait.isOver() || parts.ended().get();
  }

  /** Refuses a call of a thread with an IllegalStateException if this node has left. */
  public void checkOpen() {
    if (closed.get() || parts.ended().get()) {
      throw new IllegalStateException(closed.get() ? "node " + parts.node().name() + " has left shared memory " + parts.space() : parts.ended().why());
    }
  }

  /** Sends the actor a command that no thread waits for. */
  public void tell(NodeCommand command) {
    checkOpen();
    parts.access().costs().enter();
    actor.tell(command);
  }

  /** Sends the actor a command that no thread waits for, and runs it on this thread if possible. */
  void tellAndHelp(Wait wait) {
    checkOpen();
    parts.access().costs().enter();
    parts.waits().tell(() -> actor.tell(wait), isOver(wait));
  }

  /**
   * Waits for the result of a command that the actor has got; returns false after {@code maxNs}.
   *
   * @throws IllegalStateException if this node has left meanwhile, or the thread was interrupted
   */
  boolean awaitTold(Wait wait, long maxNs) {
    return mustBeOver(wait, parts.waits().await(isOver(wait), maxNs));
  }

  /** Throws an IllegalStateException if the wait is not over: this node has ended before its actor handled it. */
  void requireOver(Wait wait) {
    mustBeOver(wait, true);
  }

  /** The present time. */
  long nowNs() {
    return parts.node().context().clock().nowNs();
  }

  private boolean mustBeOver(Wait wait, boolean inTime) {
    if (inTime && !wait.isOver()) {
      throw new IllegalStateException(parts.ended().why());
    }
    return inTime;
  }

  /**
   * Cancels the wait of a thread, and waits until it is known whether that was too late. An interrupt does not end this, because the answer must not
   * get lost.
   */
  void cancel(Wait wait) {
    Interrupts.putAside(() -> {
      actor.tell(new NodeCommand.Cancel(wait));
      while (!wait.isOver() && !parts.ended().get()) {
        parts.waits().await(isOver(wait), FOREVER_NS);
      }
      return null;
    });
  }
}

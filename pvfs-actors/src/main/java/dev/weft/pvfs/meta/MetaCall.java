package dev.weft.pvfs.meta;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.function.Consumer;

/** A request to the manager, until it is answered. */
final class MetaCall {
  private static final long NOT_SENT = 0;

  final MetaRequest request;
  private final Consumer<MetaReply> then;
  long beganNs;
  /** That a change has from its first sending until it is over. */
  int slot = MetaRequest.NO_SLOT;
  /** What the manager that was sent this first calls the session. */
  private long sentTo = NOT_SENT;
  /** No caller is counted for it any more. */
  boolean isOver;
  /** It claims something at a manager that has started anew. */
  boolean isClaim;
  private boolean isAbandoned;
  private volatile MetaReply reply;

  /** @param then called on the client's thread; must not block */
  MetaCall(MetaRequest request, Consumer<MetaReply> then) {
    this.request = request;
    this.then = then;
  }

  /** The same, for nobody. */
  MetaCall repeated() {
    MetaCall again = new MetaCall(request, _ -> { });
    again.sentTo = sentTo;
    return again;
  }

  void sent(long incarnation) {
    sentTo = sentTo == NOT_SENT ? incarnation : sentTo;
  }

  /** Whether a manager may have it. */
  boolean wasSent() {
    return sentTo != NOT_SENT;
  }

  /**
   * What an answer is to the caller. A manager that ended behind the last close of a file without a name, but before its answer, has left nothing that
   * could be closed again.
   *
   * @param incarnation what the manager that gives it calls the session
   */
  MetaReply understood(MetaReply answer, long incarnation) {
    boolean isClosed = request.op() == MetaOp.CLOSE && answer.errno() == Errno.EBADF && wasSent() && sentTo != incarnation;
    return isClosed ? MetaReply.ok(answer.id()) : answer;
  }

  /** Null before. */
  MetaReply reply() {
    return reply;
  }

  /** False if nobody waits for it any more. */
  boolean finish(MetaReply answer) {
    synchronized (this) {
      if (isAbandoned) {
        reply = answer;
        return false;
      }
    }
    then.accept(answer);
    synchronized (this) {
      reply = answer; // Who waits for it goes on when all is done that belongs to it.
      return !isAbandoned;
    }
  }

  /** Nobody waits for it any more. The answer, if it has come before; null if it comes later. */
  synchronized MetaReply abandon() {
    isAbandoned = true;
    return reply;
  }
}

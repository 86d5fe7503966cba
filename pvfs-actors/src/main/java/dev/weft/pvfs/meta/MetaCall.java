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
  /** Its place in the order of sending. */
  long order;
  /** A change has a slot from its first transmission until its end. */
  int slot = MetaRequest.NO_SLOT;
  /** The incarnation of the session at the manager that got it first. */
  private long sentTo = NOT_SENT;
  /** It no longer counts as a caller's request. */
  boolean isOver;
  /** It claims a file or a lock at a restarted manager. */
  boolean isClaim;
  private boolean isAbandoned;
  private volatile MetaReply reply;

  /** @param then called on the client's thread; must not block */
  MetaCall(MetaRequest request, Consumer<MetaReply> then) {
    this.request = request;
    this.then = then;
  }

  /** Returns the same request without a caller. */
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
   * Translates an answer for the caller. If a previous manager handled the last close of a file without a name but did not answer, nothing is left
   * that could be closed again: EBADF is then OK.
   *
   * @param incarnation that of the session at the answering manager
   */
  MetaReply understood(MetaReply answer, long incarnation) {
    boolean isClosed = request.op() == MetaOp.CLOSE && answer.errno() == Errno.EBADF && wasSent() && sentTo != incarnation;
    return isClosed ? MetaReply.ok(answer.id()) : answer;
  }

  /** Null before the answer. */
  MetaReply reply() {
    return reply;
  }

  /** Returns false if no caller waits for it any more. */
  boolean finish(MetaReply answer) {
    synchronized (this) {
      if (isAbandoned) {
        reply = answer;
        return false;
      }
    }
    then.accept(answer);
    synchronized (this) {
      reply = answer; // Set last: the caller continues when everything that belongs to the answer is done.
      return !isAbandoned;
    }
  }

  /** The caller no longer waits. Returns the answer if it has come; null if it comes later. */
  synchronized MetaReply abandon() {
    isAbandoned = true;
    return reply;
  }
}

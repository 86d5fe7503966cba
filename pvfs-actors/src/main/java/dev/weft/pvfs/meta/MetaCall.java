package dev.weft.pvfs.meta;

import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.function.Consumer;

/** A request to the manager, until it is answered. */
final class MetaCall {
  final MetaRequest request;
  private final Consumer<MetaReply> then;
  long deadlineNs;
  /** Whether the manager may have it. */
  boolean wasSent;
  /** No caller is counted for it any more. */
  boolean isOver;
  private boolean isAbandoned;
  private volatile MetaReply reply;

  /** @param then called on the client's thread; must not block */
  MetaCall(MetaRequest request, Consumer<MetaReply> then) {
    this.request = request;
    this.then = then;
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

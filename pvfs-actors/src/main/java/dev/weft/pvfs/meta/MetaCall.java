package dev.weft.pvfs.meta;

import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.function.Consumer;

/** A request to the manager, until it is answered. */
final class MetaCall {
  final MetaRequest request;
  private final Consumer<MetaReply> then;
  long deadlineNs;
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

  void finish(MetaReply answer) {
    reply = answer;
    then.accept(answer);
  }
}

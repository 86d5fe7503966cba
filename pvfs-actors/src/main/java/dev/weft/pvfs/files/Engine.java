package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.concurrent.CompletableFuture;

/** The clients and helpers that a file system and its files use. */
record Engine(MetaClient meta, DataClient data, Caller caller, Staging staging, Appends appends) {
  /** Asks the manager and waits for the answer. */
  MetaReply ask(MetaRequest request, String what) throws PvfsException {
    return require(meta.ask(request), what);
  }

  /** Returns the answer, or throws if it is an error. */
  static MetaReply require(MetaReply reply, String what) throws PvfsException {
    if (reply.errno() != Errno.OK) {
      throw new PvfsException(reply.errno(), what);
    }
    return reply;
  }

  /** Returns the error of a request without waiting that a client did not accept. */
  static PvfsException notTaken(boolean isClosed, String what) {
    return isClosed ? new PvfsException(Errno.ESHUTDOWN, what)
        : new PvfsException(Errno.EAGAIN, what + ": as many operations as there may be are under way");
  }

  /** Asks the manager without waiting. The stage completes on a thread of the common pool. */
  CompletableFuture<MetaReply> begin(MetaRequest request, String what) {
    CompletableFuture<MetaReply> answer = new CompletableFuture<>();
    if (!meta.tryAsk(request, reply -> answer.completeAsync(() -> reply))) {
      return CompletableFuture.failedFuture(notTaken(meta.isClosed(), what));
    }
    return checked(answer, what);
  }

  /** As {@link #begin}, but asks however many operations are under way. */
  CompletableFuture<MetaReply> beginSurely(MetaRequest request, String what) {
    CompletableFuture<MetaReply> answer = new CompletableFuture<>();
    meta.askSurely(request, reply -> answer.completeAsync(() -> reply));
    return checked(answer, what);
  }

  private static CompletableFuture<MetaReply> checked(CompletableFuture<MetaReply> answer, String what) {
    return answer.thenCompose(reply -> reply.errno() == Errno.OK ? CompletableFuture.completedFuture(reply)
        : CompletableFuture.failedFuture(new PvfsException(reply.errno(), what)));
  }
}

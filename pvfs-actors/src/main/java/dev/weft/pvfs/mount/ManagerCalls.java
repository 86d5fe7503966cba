package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.file.Path;

/** Requests of a mount to the manager, whose answers the cache learns. Any thread. */
final class ManagerCalls {
  private final MetaClient meta;
  private final MetadataCache cache;
  private final Callers callers = new Callers(Path.of("/proc"));

  ManagerCalls(MetaClient meta, MetadataCache cache) {
    this.meta = meta;
    this.cache = cache;
  }

  /** Asks the manager, and waits. */
  MetaReply ask(MetaRequest request) {
    return meta.ask(request, reply -> cache.learn(request, reply));
  }

  /** Asks the manager; returns null after an error, which the kernel has been answered. */
  MetaReply ask(MetaRequest request, FuseReply reply) {
    MetaReply answer = ask(request);
    if (answer.errno() != Errno.OK) {
      reply.fail(answer.errno());
      return null;
    }
    return answer;
  }

  /** Returns the caller of a request of the kernel. */
  Caller caller(FuseReply reply) {
    return callers.of(reply);
  }

  /** Makes a request on behalf of the caller of a request of the kernel. */
  MetaRequest request(MetaOp op, FuseReply reply, long inode, long... numbers) {
    return MetaRequest.of(op, caller(reply), inode, numbers);
  }

  /** Asks the manager without waiting, if there is room for the request. */
  void tell(MetaRequest request) {
    if (!meta.tryAsk(request, reply -> cache.learn(request, reply))) {
      ask(request);
    }
  }
}

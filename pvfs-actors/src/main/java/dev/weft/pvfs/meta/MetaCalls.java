package dev.weft.pvfs.meta;

import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.MetaReply;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/** Calls on their way from any thread to the client's, and how many of them there may be. */
final class MetaCalls {
  private final ProtectionDomain pd;
  private final ManyToOneConcurrentArrayQueue<MetaCall> queue;
  private final int callsMax;
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicBoolean rung = new AtomicBoolean();
  private volatile boolean closed;
  private volatile String why = "it was not reached yet";

  MetaCalls(ProtectionDomain pd, int callsMax) {
    this.pd = pd;
    this.callsMax = callsMax;
    this.queue = new ManyToOneConcurrentArrayQueue<>(callsMax);
  }

  ProtectionDomain pd() {
    return pd;
  }

  /** False if there are as many as there may be, or the client is closed. */
  boolean offer(MetaCall call) {
    if (closed || calls.incrementAndGet() > callsMax || !queue.offer(call)) {
      calls.decrementAndGet();
      return false;
    }
    if (closed) {
      failAll();
    }
    return true;
  }

  boolean mustRing() {
    return rung.compareAndSet(false, true);
  }

  void looked() {
    rung.set(false);
  }

  MetaCall poll() {
    return queue.poll();
  }

  void over() {
    calls.decrementAndGet();
  }

  /** @param problem why the manager is not reached; empty if it is */
  void reached(String problem) {
    why = problem;
  }

  String why() {
    return why;
  }

  boolean isClosed() {
    return closed;
  }

  void close() {
    closed = true;
    failAll();
  }

  private synchronized void failAll() {
    for (MetaCall call = queue.poll(); call != null; call = queue.poll()) {
      over();
      call.finish(MetaReply.failed(call.request.id(), Errno.ESHUTDOWN));
    }
  }
}

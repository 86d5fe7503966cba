package dev.weft.perftest;

import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.service.CommandFailure;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The near side of a {@link ParkService}: asks questions to the target's application, and makes it block. Used by one thread. */
final class ParkedTarget implements AutoCloseable {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_NS = 50_000;
  /** Offsets in the near memory: the place for answers, and the source of writes. */
  private static final int ANSWER = 0;
  private static final int OUT = 64;

  private final Node node;
  private final ProtectionDomain pd;
  private final PerfMemory memory;
  private final CompletionQueue cq;
  private final QueuePair qp;
  private final NearConnection.Established far;
  private final Handshake.Opened lent;
  private final WorkCompletion wc = new WorkCompletion();
  private final WorkRequest wr = new WorkRequest();
  private long number;

  ParkedTarget(Node node, String farName) {
    this.node = node;
    pd = node.hca().allocPd();
    memory = new PerfMemory(node.hca(), pd, 2L * OUT);
    cq = node.hca().createCq(16, ReceiveContext.POLLING, null);
    qp = node.hca().createQp(pd, new QpInitAttr(cq, cq, 8, 0, 1, 1, 0, false));
    far = NearConnection.connect(node, farName, ParkService.SERVICE, qp, ConnectionOptions.DEFAULT,
        new Handshake.Opened(0, memory.region.addr() + ANSWER, memory.region.rkey()).encode());
    lent = Handshake.Opened.decode(far.privateData());
  }

  /** Sends a question to the application. */
  void ask() {
    write(ParkService.QUESTION, ++number << ParkService.NUMBER_SHIFT);
  }

  /** Whether the last question has been answered. */
  boolean isAnswered() {
    return (long) WORD.getAcquire(memory.segment, (long) ANSWER) >>> ParkService.NUMBER_SHIFT == number;
  }

  /** Waits for the answer to the last question. */
  void awaitAnswer() {
    long endNs = System.nanoTime() + PATIENCE_NS;
    while (!isAnswered()) {
      if (System.nanoTime() - endNs > 0) {
        throw new CommandFailure("the target's application has not answered for " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NS) + " s");
      }
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  /**
   * Blocks the application and all dispatchers of the target's JVM.
   *
   * @return the number of blocked threads
   */
  int park() {
    write(ParkService.QUESTION, ++number << ParkService.NUMBER_SHIFT | ParkService.BLOCK);
    awaitAnswer();
    int threads = (int) ((long) WORD.getAcquire(memory.segment, (long) ANSWER) & (1 << ParkService.NUMBER_SHIFT) - 1) >>> 1;
    if (threads == 0) {
      throw new CommandFailure("the target's threads could not be blocked: they were busy for a second");
    }
    return threads;
  }

  void release() {
    write(ParkService.RELEASE, number);
  }

  private void write(int offset, long word) {
    memory.segment.set(ValueLayout.JAVA_LONG, OUT, word);
    qp.postSend(wr.write(lent.addr() + offset, lent.rkey()).sge(memory.region, OUT, Long.BYTES).signaled());
    while (!cq.poll(wc)) {
      Thread.onSpinWait();
    }
    if (!wc.isSuccess()) {
      throw new CommandFailure("the target can no longer be written to: " + wc.status());
    }
  }

  /** Disconnects, which also releases a blocked target. */
  @Override
  public void close() {
    far.connection().disconnect();
    node.hca().destroyQp(qp);
    node.hca().destroyCq(cq);
    memory.close();
    node.hca().deallocPd(pd);
  }
}

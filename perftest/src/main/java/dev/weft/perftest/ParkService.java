package dev.weft.perftest;

import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.dispatch.Poller;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The target's application of {@code perftest --park-target}: a thread that answers questions, which the near side writes into its memory. If
 * a question asks for it, the thread blocks all dispatchers of this JVM and itself until the near side writes a release. Only the hardware
 * thread is not blocked; it detects the release. One near side at a time.
 */
final class ParkService implements AutoCloseable {
  static final String SERVICE = "perftest-park";
  /** Offsets in the far memory: the question, the release of the threads, and the source of the answer. */
  static final int QUESTION = 0;
  static final int RELEASE = 64;
  static final int ANSWER = 128;
  static final int BYTES = 192;
  /** A question is its number and a bit that asks to block. An answer is the same, with the number of blocked threads between them. */
  static final int NUMBER_SHIFT = 16;
  static final int BLOCK = 1;

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final long LOOK_NS = 200_000;

  private final Node node;
  private final HardwareDispatcher dispatcher;
  private final ThreadHold hold;
  private final AtomicReference<Session> current = new AtomicReference<>();

  private ParkService(ClusterFabric fabric, Node node) {
    this.node = node;
    dispatcher = fabric.dispatcher();
    hold = new ThreadHold(fabric.system());
  }

  /** Offers the service on a node of this JVM. */
  static ParkService offer(ClusterFabric fabric, Node node) {
    ParkService service = new ParkService(fabric, node);
    node.cm().listen(SERVICE, service::onConnect);
    return service;
  }

  private void onConnect(ConnectionRequest request) {
    Handshake.Opened near;
    try {
      near = Handshake.Opened.decode(request.privateData());
    } catch (IllegalArgumentException wrong) {
      request.reject(wrong.getMessage().getBytes(StandardCharsets.UTF_8));
      return;
    }
    Session session = new Session(near);
    if (!current.compareAndSet(null, session)) {
      request.reject("another test blocks its application already".getBytes(StandardCharsets.UTF_8));
      session.giveBack();
      return;
    }
    dispatcher.addPoller(session.poller);
    request.accept(session.qp, ConnectionOptions.DEFAULT, session.opened(), session);
    Thread.ofPlatform().daemon().name("weft-perftest-application").start(session::serve);
  }

  /** Ends the application. Not on the hardware thread. */
  @Override
  public void close() {
    node.cm().unlisten(SERVICE);
    Session session = current.get();
    if (session != null) {
      session.end();
    }
  }

  /** The session of one near side. */
  private final class Session implements ConnectionObserver {
    private final Handshake.Opened near;
    private final ProtectionDomain pd = node.hca().allocPd();
    private final PerfMemory memory = new PerfMemory(node.hca(), pd, BYTES);
    private final CompletionQueue cq = node.hca().createCq(16, ReceiveContext.POLLING, null);
    private final QueuePair qp = node.hca().createQp(pd, new QpInitAttr(cq, cq, 8, 0, 1, 1, 0, false));
    private final Poller poller = this::lookForRelease;
    private final WorkCompletion wc = new WorkCompletion();
    private final WorkRequest wr = new WorkRequest();
    private long released;
    private volatile boolean ended;

    Session(Handshake.Opened near) {
      this.near = near;
    }

    byte[] opened() {
      return new Handshake.Opened(0, memory.region.addr(), memory.region.rkey()).encode();
    }

    /** Runs the application. */
    void serve() {
      long answered = 0;
      while (!ended) {
        long question = (long) WORD.getAcquire(memory.segment, (long) QUESTION);
        if (question == answered) {
          LockSupport.parkNanos(LOOK_NS);
          continue;
        }
        answered = question;
        boolean blocks = (question & BLOCK) != 0;
        answer(blocks ? question | (long) begin() << 1 : question);
        if (blocks) {
          hold.join();
        }
      }
      dispatcher.removePoller(poller);
      giveBack();
      current.compareAndSet(this, null);
    }

    /** Blocks the dispatchers. Returns the number of blocked threads, including this one, which blocks next; 0 if they cannot be blocked. */
    private int begin() {
      try {
        return hold.begin() + 1;
      } catch (InterruptedException | IllegalStateException busy) {
        return 0;
      }
    }

    private void answer(long word) {
      memory.segment.set(ValueLayout.JAVA_LONG, ANSWER, word);
      qp.postSend(wr.write(near.addr(), near.rkey()).sge(memory.region, ANSWER, Long.BYTES).signaled());
      while (!ended && !cq.poll(wc)) {
        Thread.onSpinWait();
      }
    }

    private int lookForRelease() {
      long word = ended ? released : (long) WORD.getAcquire(memory.segment, (long) RELEASE);
      if (word == released) {
        return 0;
      }
      released = word;
      hold.release();
      return 1;
    }

    void end() {
      ended = true;
      hold.release();
    }

    void giveBack() {
      node.hca().destroyQp(qp);
      node.hca().destroyCq(cq);
      memory.close();
      node.hca().deallocPd(pd);
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {}

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      end();
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {
      end();
    }
  }
}

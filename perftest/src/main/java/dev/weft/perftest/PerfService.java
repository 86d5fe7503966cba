package dev.weft.perftest;

import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.HcaSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The far side of {@code weft perftest}: two services of one node. {@link #SERVICE} accepts the connections under test. {@link
 * #REPORT_SERVICE} rejects every connection; the private data of the rejection is the session's {@link Handshake.Report}. After its set-up, a
 * session only uses the hardware thread, so it makes progress whatever the node's applications do.
 *
 * <p>Bounds: {@link #SESSIONS_MAX} sessions and {@link #QUEUE_MAX} pending set-ups; more are rejected with a reason.
 */
public final class PerfService implements AutoCloseable {
  static final String SERVICE = "perftest";
  static final String REPORT_SERVICE = "perftest-report";
  static final int SESSIONS_MAX = 4096;
  private static final int QUEUE_MAX = 4096;

  private final Node node;
  private final HardwareDispatcher dispatcher;
  private final Map<Long, FarSession> sessions = new ConcurrentHashMap<>();
  private final AtomicLong nextSession = new AtomicLong(1);
  /** Sets up and closes sessions. Registration touches memory and closing waits, which both take too long for the hardware thread. */
  private final ExecutorService setUp = new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE_MAX),
      Thread.ofPlatform().daemon().name("weft-perftest-set-up").factory());

  private final LongSupplier trunkBytesCopied;

  private PerfService(Node node, HardwareDispatcher dispatcher, LongSupplier trunkBytesCopied) {
    this.node = node;
    this.dispatcher = dispatcher;
    this.trunkBytesCopied = trunkBytesCopied;
  }

  /**
   * Starts to offer the services on a node of this JVM.
   *
   * @param node the node
   * @param dispatcher hardware dispatcher of this JVM
   * @param trunkBytesCopied returns the bytes of payload that this JVM's trunks have copied so far; called on the hardware thread
   */
  public static PerfService offer(Node node, HardwareDispatcher dispatcher, LongSupplier trunkBytesCopied) {
    PerfService service = new PerfService(node, dispatcher, trunkBytesCopied);
    node.cm().listen(SERVICE, service::onConnect);
    // Last, because a near side that waits for the services asks for this one.
    node.cm().listen(REPORT_SERVICE, service::onQuery);
    return service;
  }

  private void onConnect(ConnectionRequest request) {
    try {
      setUp.execute(() -> open(request));
    } catch (RejectedExecutionException full) {
      request.reject(text("the perftest service of " + node.name() + " is closing or has " + QUEUE_MAX + " set-ups waiting"));
    }
  }

  private void open(ConnectionRequest request) {
    FarSession session = null;
    try {
      if (sessions.size() >= SESSIONS_MAX) {
        throw new IllegalStateException("the perftest service of " + node.name() + " has " + SESSIONS_MAX + " sessions already");
      }
      Handshake.Open open = Handshake.Open.decode(request.privateData());
      session = new FarSession(node, dispatcher, open);
      long number = nextSession.getAndIncrement();
      sessions.put(number, session);
      ConnectionOptions options = NearConnection.options(node, open.depth());
      session.prepare();
      request.accept(session.queuePair(), options, session.opened(number), new Observer(number));
    } catch (RuntimeException refused) {
      if (session != null) {
        session.close();
      }
      request.reject(text(String.valueOf(refused.getMessage())));
    }
  }

  private void onQuery(ConnectionRequest request) {
    try {
      FarSession session = sessions.get(Handshake.decodeQuery(request.privateData()));
      HcaSnapshot.Counters counters = node.hca().inspect().counters();
      request.reject(session == null ? text("no such perftest session") : session.report(counters, trunkBytesCopied.getAsLong()).encode());
    } catch (IllegalArgumentException wrong) {
      request.reject(text(wrong.getMessage()));
    }
  }

  private void end(long number) {
    FarSession session = sessions.remove(number);
    if (session != null) {
      try {
        setUp.execute(session::close);
      } catch (RejectedExecutionException closing) {
        session.close();
      }
    }
  }

  private static byte[] text(String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= 180 ? bytes : java.util.Arrays.copyOf(bytes, 180);
  }

  /** Ends all sessions. */
  @Override
  public void close() {
    node.cm().unlisten(SERVICE);
    node.cm().unlisten(REPORT_SERVICE);
    setUp.shutdown();
    try {
      setUp.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Long number : sessions.keySet()) {
      end(number);
    }
  }

  private final class Observer implements ConnectionObserver {
    private final long number;

    Observer(long number) {
      this.number = number;
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {}

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      end(number);
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {
      end(number);
    }
  }
}

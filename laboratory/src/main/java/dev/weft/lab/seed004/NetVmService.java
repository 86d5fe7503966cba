package dev.weft.lab.seed004;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.netvm.NicPagesSnapshot;
import dev.weft.hca.node.Node;
import dev.weft.hca.sync.SyncClient;
import dev.weft.hca.sync.SyncMember;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The far side of {@link NetVmRealExperiment}: lends memory, pinned or not, takes part in locks, and tells what it has counted. Real time
 * only. The node gets a virtual memory when the first connection asks for one.
 *
 * <p>Bound: {@link #SESSIONS_MAX} connections at a time; further ones are refused.
 */
public final class NetVmService implements AutoCloseable {
  static final int SESSIONS_MAX = 64;
  private static final int QUEUE_MAX = 64;
  private static final int TEXT_MAX = 180;
  private static final int CLOSE_SECONDS = 5;

  private final Node node;
  private final Path directory;
  private final List<Session> sessions = new CopyOnWriteArrayList<>();
  /** Registration waits for the hardware thread, so it cannot be there. */
  private final ExecutorService setUp = new ThreadPoolExecutor(1, 1, CLOSE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE_MAX),
      Thread.ofPlatform().daemon().name("weft-netvm-set-up").factory());
  private NetVmHost host; // on the set-up thread

  private NetVmService(Node node, Path directory) {
    this.node = node;
    this.directory = directory;
  }

  /** Starts to listen on a node of this JVM; its pages will be kept in a file of {@code directory}. */
  public static NetVmService offer(Node node, Path directory) {
    NetVmService service = new NetVmService(node, directory);
    node.cm().listen(NetVmWire.SERVICE, request -> service.enqueue(request, () -> service.open(request)));
    node.cm().listen(NetVmWire.REPORT_SERVICE, request -> service.enqueue(request, () -> request.reject(service.report().encode())));
    return service;
  }

  private void enqueue(ConnectionRequest request, Runnable task) {
    try {
      setUp.execute(() -> {
        try {
          task.run();
        } catch (RuntimeException refused) {
          request.reject(text(String.valueOf(refused.getMessage())));
        }
      });
    } catch (RejectedExecutionException full) {
      request.reject(text("the netvm service of " + node.name() + " is closing or has " + QUEUE_MAX + " set-ups waiting"));
    }
  }

  private static byte[] text(String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= TEXT_MAX ? bytes : Arrays.copyOf(bytes, TEXT_MAX);
  }

  private void open(ConnectionRequest request) {
    if (sessions.size() >= SESSIONS_MAX) {
      throw new IllegalStateException("the netvm service of " + node.name() + " has " + SESSIONS_MAX + " connections already");
    }
    try {
      host = host == null ? new NetVmHost(node.hca(), directory.resolve("pages-" + node.name())) : host;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    NetVmWire.Open open = NetVmWire.Open.decode(request.privateData());
    Session session = new Session(open);
    sessions.add(session);
    request.accept(session.qp, NetVmEnd.OPTIONS, new NetVmWire.Opened(session.memory.region.addr(), session.memory.region.rkey()).encode(),
        session);
    if (open.locks()) {
      session.takePart(request.peerNode());
    }
  }

  private NetVmWire.Report report() {
    NicPagesSnapshot pages = node.hca().inspectVm();
    return new NetVmWire.Report(node.hca().inspect().counters().rnrNaksSent(), pages == null ? 0 : pages.faults(),
        pages == null ? 0 : pages.redirect().redirectedPackets());
  }

  /** One connection. */
  private final class Session implements ConnectionObserver {
    private final Hca hca = node.hca();
    private final ProtectionDomain pd = hca.allocPd();
    private final CompletionQueue cq = hca.createCq(16, ReceiveContext.POLLING, null);
    final NetVmHost.Lent memory;
    final QueuePair qp;
    private SyncMember member;

    Session(NetVmWire.Open open) {
      memory = host.lend(pd, open.unpinned(), open.bytes());
      memory.touch(pd);
      qp = hca.createQp(pd, QpInitAttr.of(cq, 1));
    }

    void takePart(String home) {
      member = SyncMember.join(node, home, NetVmWire.LOCKS, HandOver.OBJECTS, ReceiveContext.ISR, new SyncMember.Observer() {
        @Override
        public void onJoined(SyncClient client) {
          HandOver.partner(client);
        }

        @Override
        public void onLost(String reason) {}
      });
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

    private void end() {
      if (sessions.remove(this)) {
        try {
          setUp.execute(this::close);
        } catch (RejectedExecutionException closing) {
          sessions.add(this);
        }
      }
    }

    void close() {
      if (member != null) {
        member.close();
      }
      hca.destroyQp(qp);
      hca.destroyCq(cq);
      memory.close();
      hca.deallocPd(pd);
    }
  }

  /** Stops listening and ends what there is. Not on the hardware thread. */
  @Override
  public void close() {
    node.cm().unlisten(NetVmWire.SERVICE);
    node.cm().unlisten(NetVmWire.REPORT_SERVICE);
    setUp.shutdown();
    try {
      setUp.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    sessions.forEach(Session::close);
    sessions.clear();
    if (host != null) {
      host.close();
    }
  }
}

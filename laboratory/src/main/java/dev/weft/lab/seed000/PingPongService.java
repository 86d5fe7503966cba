package dev.weft.lab.seed000;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ReceiveContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The answering end of {@link ReceiveContextExperiment#between}, on a node whose peers may be in other JVMs: each connection gets an end
 * in the receive context that its request names. Real time only.
 *
 * <p>Bound: {@link #SIDES_MAX} ends in all; further requests are refused.
 */
public final class PingPongService implements AutoCloseable {
  static final String SERVICE = "ping-pong";
  /** An end stays until the service is closed, because it may still be arming after its last reply; pollers go with their connection. */
  static final int SIDES_MAX = 8192;
  private static final int QUEUE_MAX = 64;
  private static final int REQUEST_BYTES = 8;
  private static final int CLOSE_SECONDS = 5;

  private final Node node;
  private final List<PingPongSide> sides = new CopyOnWriteArrayList<>();
  /** Registration waits for the hardware thread, so it cannot be there. */
  private final ExecutorService setUp = new ThreadPoolExecutor(1, 1, CLOSE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE_MAX),
      Thread.ofPlatform().daemon().name("weft-ping-pong-set-up").factory());
  private int made; // on the set-up thread

  private PingPongService(Node node) {
    this.node = node;
  }

  /** Starts to listen on a node of this JVM. */
  public static PingPongService offer(Node node) {
    PingPongService service = new PingPongService(node);
    node.cm().listen(SERVICE, service::onConnect);
    return service;
  }

  /** What a client says when it connects. */
  static byte[] request(ReceiveContext context, int messageBytes) {
    return ByteBuffer.allocate(REQUEST_BYTES).putInt(context.ordinal()).putInt(messageBytes).array();
  }

  private void onConnect(ConnectionRequest request) {
    try {
      setUp.execute(() -> open(request));
    } catch (RejectedExecutionException full) {
      request.reject(text("the ping-pong service of " + node.name() + " is closing or has " + QUEUE_MAX + " set-ups waiting"));
    }
  }

  private void open(ConnectionRequest request) {
    try {
      ByteBuffer asked = ByteBuffer.wrap(request.privateData());
      if (asked.remaining() != REQUEST_BYTES || made == SIDES_MAX) {
        throw new IllegalArgumentException("the ping-pong service of " + node.name() + " takes requests of " + REQUEST_BYTES
            + " bytes, " + SIDES_MAX + " in all; this one has " + asked.remaining() + " and " + made + " were served");
      }
      ReceiveContext context = ReceiveContext.values()[asked.getInt()];
      PingPongSide side = new Answering(context, asked.getInt());
      made++;
      sides.add(side);
      side.accept(request);
    } catch (RuntimeException refused) {
      request.reject(text(String.valueOf(refused.getMessage())));
    }
  }

  private static byte[] text(String message) {
    return message.substring(0, Math.min(message.length(), 180)).getBytes(StandardCharsets.US_ASCII);
  }

  private final class Answering extends PingPongSide {
    private final boolean isPolling;

    Answering(ReceiveContext context, int messageBytes) {
      // What fails here fails at the client, too, which reports it.
      super(PingPongService.this.node, context, messageBytes, () -> {}, reason -> {});
      isPolling = context == ReceiveContext.POLLING;
    }

    /** A poller that went on would take the processor of the next measurement. */
    @Override
    public void onDisconnected(Connection ended, boolean nodeLost) {
      if (isPolling && sides.remove(this)) {
        try {
          setUp.execute(this::close);
        } catch (RejectedExecutionException closing) {
          sides.add(this);
        }
      }
    }
  }

  /** Stops listening and ends what there is. Not on the hardware thread. */
  @Override
  public void close() {
    node.cm().unlisten(SERVICE);
    setUp.shutdown();
    try {
      setUp.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    sides.forEach(PingPongSide::close);
    sides.clear();
  }
}

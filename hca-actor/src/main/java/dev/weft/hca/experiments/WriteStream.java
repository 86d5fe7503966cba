package dev.weft.hca.experiments;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.Access;
import dev.weft.hca.MemoryRegion;
import dev.weft.hca.ProtectionDomain;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.WcStatus;
import dev.weft.hca.WorkRequest;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.node.Node;
import dev.weft.hca.registration.HcaRegistrar;
import dev.weft.hca.registration.Registrar;
import dev.weft.hca.registration.Registration;
import dev.weft.hca.registration.RegistrationStats;
import dev.weft.hca.registration.RegistrationStrategy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Function;

/**
 * A client that writes buffers to a server, one after another: it registers the buffer and sends where it is; the server reads it by RDMA,
 * stores it and answers; the client releases the registration (seed 002 sections 4.3 and 6.7). The client learns of answers in process
 * context, by an interrupt; the server polls (section 4.4).
 */
final class WriteStream {
  /** Where work of one side is charged. */
  @FunctionalInterface
  interface Processor {
    void compute(long ns, Runnable next);
  }

  /** Real time charges by itself. */
  static final Processor AT_ONCE = (ns, next) -> next.run();

  private static final String SERVICE = "write-stream";
  private static final int MESSAGE_BYTES = 16;
  private static final int SLOTS = 4;

  private final Client client;
  private final Server server;
  private final Runnable finished;
  private int established;
  private volatile String failure;

  /**
   * @param bytes length of each write
   * @param storeNs what storing it costs the server
   * @param finished called after the last write, or where it failed
   */
  WriteStream(Node clientNode, Processor clientCpu, Node serverNode, Processor serverCpu, int bytes, long storeNs, Runnable finished) {
    this.finished = finished;
    client = new Client(clientNode, clientCpu, bytes);
    server = new Server(serverNode, serverCpu, bytes, storeNs);
  }

  /**
   * Says how buffers are registered; before {@link #play}.
   *
   * @param create makes a strategy over the client's registrar
   * @param buffers which buffer of the pool each write takes
   */
  void useStrategy(Function<Registrar, RegistrationStrategy> create, int[] buffers, MemorySegment pool) {
    client.strategy = create.apply(new HcaRegistrar(client.node.hca(), client.pd));
    client.buffers = buffers;
    client.pool = pool;
  }

  /** Registers the whole pool beforehand, without charge. */
  void prepare() {
    client.strategy.release(client.strategy.acquire(client.pool, Access.REMOTE_READ));
    client.owedNs = 0;
  }

  /** Adds to what the client's next step costs. */
  void owe(long ns) {
    client.owedNs += ns;
  }

  /** Connects, then writes. Any thread that may call control verbs. */
  void play() {
    server.node.cm().listen(SERVICE, request -> {
      request.accept(server.channel.qp(), ConnectionOptions.DEFAULT, new byte[0], server);
      server.channel.postReceives();
    });
    client.node.cm().connect(server.node.name(), SERVICE, client.channel.qp(), ConnectionOptions.DEFAULT, new byte[0], client);
    client.channel.postReceives();
  }

  /** Ends the server's poller, which would go on after its fabric and take a processor. In real time, not on the hardware thread. */
  void endServer() {
    server.endpoint.close();
  }

  /** Why it did not go well, or null. */
  String failure() {
    return failure;
  }

  long totalNs() {
    return client.endNs - client.startNs;
  }

  RegistrationStats stats() {
    return client.strategy.stats();
  }

  private void fail(String reason) {
    failure = reason;
    finished.run();
  }

  private abstract class Side implements MessageHandler, ConnectionObserver {
    final Node node;
    final Processor cpu;
    final int bytes;
    final ProtectionDomain pd;
    final MessageEndpoint endpoint;
    final MessageChannel channel;

    Side(Node node, Processor cpu, ReceiveContext context, int bytes) {
      this.node = node;
      this.cpu = cpu;
      this.bytes = bytes;
      pd = node.hca().allocPd();
      ChannelSettings settings = new ChannelSettings(MESSAGE_BYTES, SLOTS, SLOTS, 1);
      endpoint = new MessageEndpoint(node.hca(), pd, settings.cqEntries(), context, context != ReceiveContext.POLLING, this);
      channel = endpoint.open(settings);
    }

    final void send(long address, int key) {
      int slot = channel.reserve();
      if (slot == MessageChannel.NO_BUFFER) {
        fail("no send buffer on " + node.name());
        return;
      }
      channel.buffers().set(ValueLayout.JAVA_LONG, channel.offset(slot), address);
      channel.buffers().set(ValueLayout.JAVA_INT, channel.offset(slot) + Long.BYTES, key);
      channel.send(slot, MESSAGE_BYTES, true);
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
      endpoint.start();
      if (++established == 2) {
        client.cpu.compute(0, client::begin);
      }
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      fail("the connection was rejected: " + reason);
    }

    @Override
    public void onFailed(MessageChannel failed, WcStatus status, int vendorErr) {
      fail("the connection of " + node.name() + " failed: " + status);
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {}

    @Override
    public void onCompleted(MessageChannel of, long token, WcStatus status) {}

    @Override
    public void onSendRoom(MessageChannel of) {}
  }

  private final class Client extends Side {
    private final Clock clock;
    private RegistrationStrategy strategy;
    private int[] buffers;
    private MemorySegment pool;
    private Registration held;
    private int next;
    private long owedNs;
    private long startNs;
    private long endNs;

    Client(Node node, Processor cpu, int bytes) {
      super(node, cpu, ReceiveContext.PROCESS, bytes);
      clock = node.context().clock();
    }

    private void begin() {
      if (next == 0) {
        startNs = clock.nowNs();
      }
      MemorySegment buffer = pool.asSlice((long) buffers[next] * bytes, bytes);
      held = strategy.acquire(buffer, Access.REMOTE_READ);
      spend(() -> send(buffer.address(), held.rkey()));
    }

    private void spend(Runnable then) {
      long ns = owedNs;
      owedNs = 0;
      cpu.compute(ns, then);
    }

    @Override
    public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      strategy.release(held);
      spend(this::ended);
    }

    private void ended() {
      if (++next < buffers.length) {
        begin();
      } else {
        endNs = clock.nowNs();
        finished.run();
      }
    }
  }

  private final class Server extends Side {
    private final long storeNs;
    private final MemorySegment store;
    private final MemoryRegion storeRegion;

    Server(Node node, Processor cpu, int bytes, long storeNs) {
      super(node, cpu, ReceiveContext.POLLING, bytes);
      this.storeNs = storeNs;
      store = Arena.ofAuto().allocate(bytes, Long.BYTES);
      storeRegion = node.hca().regMr(pd, store, Access.LOCAL_WRITE);
    }

    @Override
    public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      long address = buffer.get(ValueLayout.JAVA_LONG, offset);
      int key = buffer.get(ValueLayout.JAVA_INT, offset + Long.BYTES);
      if (!channel.transfer(new WorkRequest().read(address, key).sge(storeRegion, 0, bytes), true, address)) {
        fail("the server has no room for a read");
      }
    }

    @Override
    public void onCompleted(MessageChannel of, long token, WcStatus status) {
      if (status == WcStatus.SUCCESS) {
        cpu.compute(storeNs, () -> send(token, 0));
      }
    }
  }
}

package dev.weft.lab.seed002;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.registration.HcaRegistrar;
import dev.weft.hca.registration.Registrar;
import dev.weft.hca.registration.Registration;
import dev.weft.hca.registration.RegistrationStats;
import dev.weft.hca.registration.RegistrationStrategy;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.lab.measure.ConnectedSide;
import dev.weft.lab.measure.TwoSides;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Function;

/**
 * A client that writes buffers to a server, one after another: it registers the buffer and sends where it is; the server reads it by RDMA,
 * stores it and answers; the client releases the registration (seed 002 sections 4.3 and 6.7). The client learns of answers in process
 * context, by an interrupt; the server polls (section 4.4).
 */
final class WriteStream extends TwoSides {
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

  /**
   * @param bytes length of each write
   * @param storeNs what storing it costs the server
   * @param finished called after the last write, or where it failed
   */
  WriteStream(Node clientNode, Processor clientCpu, Node serverNode, Processor serverCpu, int bytes, long storeNs, Runnable finished) {
    super(finished);
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
    connect(SERVICE, client, server);
  }

  @Override
  protected void begin() {
    client.cpu.compute(0, client::next);
  }

  /** Ends the server's poller, which would go on after its fabric and take a processor. In real time, not on the hardware thread. */
  void endServer() {
    server.endpoint.close();
  }

  long totalNs() {
    return client.endNs - client.startNs;
  }

  RegistrationStats stats() {
    return client.strategy.stats();
  }

  private abstract class ChargedSide extends ConnectedSide {
    final Processor cpu;
    final int bytes;

    ChargedSide(Node node, Processor cpu, ReceiveContext context, int bytes) {
      super(node, context, context != ReceiveContext.POLLING, new ChannelSettings(MESSAGE_BYTES, SLOTS, SLOTS, 1),
          WriteStream.this::onEstablished, WriteStream.this::fail);
      this.cpu = cpu;
      this.bytes = bytes;
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
  }

  private final class Client extends ChargedSide {
    private final Clock clock;
    private RegistrationStrategy strategy;
    private int[] buffers;
    private MemorySegment pool;
    private Registration held;
    private int done;
    private long owedNs;
    private long startNs;
    private long endNs;

    Client(Node node, Processor cpu, int bytes) {
      super(node, cpu, ReceiveContext.PROCESS, bytes);
      clock = node.context().clock();
    }

    private void next() {
      if (done == 0) {
        startNs = clock.nowNs();
      }
      MemorySegment buffer = pool.asSlice((long) buffers[done] * bytes, bytes);
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
      if (++done < buffers.length) {
        next();
      } else {
        endNs = clock.nowNs();
        finish();
      }
    }
  }

  private final class Server extends ChargedSide {
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

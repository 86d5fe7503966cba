package dev.weft.pvfs;

import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One side of a protocol on a node of its own, which says exactly what a test wants, and tells a probe of each thing that comes. Its connections are
 * numbered from 0, in the order in which they are begun, or asked for. Any thread.
 */
public final class Player implements MessageHandler {
  /** What the probe is told. */
  public sealed interface Sign {
    int line();
  }

  /** A connection is there; what the other side said at that. */
  public record Up(int line, byte[] said) implements Sign {}

  public record Refused(int line, byte[] said) implements Sign {}

  /** Somebody wants to connect. */
  public record Wanted(int line, byte[] said) implements Sign {}

  public record Heard(int line, byte[] message) implements Sign {}

  /** Written to this side's memory, with an immediate. */
  public record Written(int line, int immediate, int length) implements Sign {}

  public record Down(int line) implements Sign {}

  private static final class Line {
    MessageChannel channel;
    Connection connection;
    ConnectionRequest request;
    boolean isDown;
  }

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int MEMORY_BYTES = 1 << 20;
  private static final ChannelSettings SETTINGS = new ChannelSettings(16_384, 64, 64, 8);
  private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withAccessFlags(Access.REMOTE_READ | Access.REMOTE_WRITE);

  private final Node node;
  private final TestProbe<Sign> probe;
  private final ActorRef<Object> self;
  private final List<Line> lines = new ArrayList<>();
  private final AtomicInteger next = new AtomicInteger();
  private final ProtectionDomain pd;
  private final MemoryRegion memory;
  private MessageEndpoint endpoint;

  private Player(LocalFabric fabric, Node node) {
    this.node = node;
    probe = TestProbe.create(Sign.class, fabric.system());
    pd = node.hca().allocPd();
    memory = node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), MEMORY_BYTES), Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE);
    self = node.spawnRole(Behaviors.setup(this::start), "player");
  }

  /** One that connects, or listens. */
  public static Player on(LocalFabric fabric, String node) {
    return new Player(fabric, fabric.addNode(node));
  }

  private Behavior<Object> start(ActorContext<Object> context) {
    endpoint = new MessageEndpoint(node.hca(), pd, 16 * SETTINGS.cqEntries(), context.getSelf(), (Object) "completions", false, null, this);
    endpoint.arm();
    return Behaviors.receive(Object.class).onAnyMessage(message -> {
      onMessage(message);
      return Behaviors.same();
    }).build();
  }

  private void onMessage(Object message) {
    switch (message) {
      case Runnable action -> action.run();
      case ConnectionRequest request -> {
        Line line = new Line();
        line.request = request;
        int number = add(next.getAndIncrement(), line);
        tell(new Wanted(number, request.privateData()));
      }
      case ConnectionEvent event -> onConnectionEvent((int) event.context(), event);
      default -> endpoint.service(256);
    }
  }

  private int add(int number, Line line) {
    while (lines.size() <= number) {
      lines.add(null);
    }
    lines.set(number, line);
    return number;
  }

  private void onConnectionEvent(int number, ConnectionEvent event) {
    Line line = lines.get(number);
    switch (event) {
      case ConnectionEvent.Established established -> {
        line.connection = established.connection();
        tell(new Up(number, established.privateData()));
      }
      case ConnectionEvent.Rejected rejected -> tell(new Refused(number, rejected.privateData()));
      case ConnectionEvent.Disconnected _ -> down(number);
    }
  }

  private void tell(Sign sign) {
    probe.getRef().tell(sign);
  }

  private void down(int number) {
    Line line = lines.get(number);
    if (!line.isDown) {
      line.isDown = true;
      line.channel.close();
      tell(new Down(number));
    }
  }

  private void run(Runnable action) {
    self.tell(action);
  }

  /** Offers a service: who wants it is told as {@link Wanted}, and waits for {@link #accept}. */
  public void listen(String service) {
    node.cm().listen(service, self.unsafeUpcast().narrow());
  }

  private QueuePairChannel open(int number) {
    QueuePairChannel channel = endpoint.open(SETTINGS);
    channel.attach(number);
    return channel;
  }

  /** Takes somebody in; {@link Up} follows. */
  public void accept(int number, byte[] hello) {
    run(() -> {
      Line line = lines.get(number);
      QueuePairChannel channel = open(number);
      line.channel = channel;
      line.request.accept(channel.qp(), OPTIONS, hello, self.unsafeUpcast().narrow(), number);
      channel.postReceives();
    });
  }

  /** Begins to connect; its number. */
  public int connect(String to, String service, byte[] hello) {
    return connect(to, service, hello, true);
  }

  /** The same of one that posts no receive buffers: nothing that is sent to it arrives. */
  public int connectDeaf(String to, String service, byte[] hello) {
    return connect(to, service, hello, false);
  }

  private int connect(String to, String service, byte[] hello, boolean hears) {
    int number = next.getAndIncrement();
    run(() -> {
      Line line = new Line();
      add(number, line);
      QueuePairChannel channel = open(number);
      line.channel = channel;
      node.cm().connect(to, service, channel.qp(), OPTIONS, hello, self.unsafeUpcast().narrow(), number);
      if (hears) {
        channel.postReceives();
      }
    });
    return number;
  }

  /** Sends a message; nothing where the connection is no more. */
  public void say(int number, byte[] message) {
    run(() -> {
      MessageChannel channel = lines.get(number).channel;
      if (channel.isOpen()) {
        channel.send(put(channel, message), message.length, true);
      }
    });
  }

  /** Writes a message to the other side's memory. */
  public void write(int number, byte[] message, long address, int rkey, int immediate) {
    run(() -> {
      MessageChannel channel = lines.get(number).channel;
      channel.writeWith(put(channel, message), message.length, _ -> { }, address, rkey, immediate, false, 0);
    });
  }

  private static int put(MessageChannel channel, byte[] message) {
    int slot = channel.reserve();
    MemorySegment.copy(message, 0, channel.buffers(), ValueLayout.JAVA_BYTE, channel.offset(slot), message.length);
    return slot;
  }

  /** Ends a connection; nothing more is told of it. */
  public void hangUp(int number) {
    run(() -> {
      Line line = lines.get(number);
      line.isDown = true;
      if (line.connection != null) {
        line.connection.disconnect();
      }
      line.channel.close();
    });
  }

  /** The memory that it lends. */
  public MemoryRegion memory() {
    return memory;
  }

  /** The next thing that is told, which has to be of this class. */
  public <T extends Sign> T next(Class<T> sign) {
    return probe.expectMessageClass(sign, PATIENCE);
  }

  /** Nothing was told that was not asked for yet. */
  public void expectNothing() {
    probe.expectNoMessage(Duration.ZERO);
  }

  @Override
  public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    tell(new Heard((int) channel.attachment(), buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE)));
  }

  @Override
  public boolean onImmediate(MessageChannel channel, int immediate, int length) {
    tell(new Written((int) channel.attachment(), immediate, length));
    return true;
  }

  @Override
  public void onCompleted(MessageChannel channel, long token, WcStatus status) {
    // Nothing is posted with notice.
  }

  @Override
  public void onSendRoom(MessageChannel channel) {
    // It has enough.
  }

  @Override
  public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
    down((int) channel.attachment());
  }
}

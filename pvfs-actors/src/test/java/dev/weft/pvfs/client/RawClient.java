package dev.weft.pvfs.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A client that says to an I/O daemon what a test wants, right or wrong, and keeps what comes back. */
final class RawClient implements MessageHandler {
  private interface Command {}

  private record Run(Runnable what) implements Command {}

  private record Connected(ConnectionEvent event) implements Command {}

  private enum Notice implements Command {
    COMPLETIONS
  }

  /** An answer, or a loan. */
  record Said(long id, int errno, long bytes, boolean isLoan, long address, int key) {}

  final List<Said> said = new CopyOnWriteArrayList<>();
  final List<WcStatus> completed = new CopyOnWriteArrayList<>();
  volatile boolean isConnected;
  volatile boolean hasFailed;
  private final Node node;
  private ActorRef<Command> self;
  private MessageEndpoint endpoint;
  private QueuePairChannel channel;
  private MemoryRegion memory;

  private RawClient(Node node) {
    this.node = node;
  }

  static RawClient connect(Node node, DaemonAddress to) {
    RawClient client = new RawClient(node);
    client.self = node.spawnRole(Behaviors.setup(context -> client.start(context, to)), "raw");
    return client;
  }

  private Behavior<Command> start(ActorContext<Command> context, DaemonAddress to) {
    ProtectionDomain pd = node.hca().allocPd();
    ChannelSettings settings = new ChannelSettings(8192, 8, 8, 8);
    memory = node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), 1 << 16), Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE);
    endpoint = new MessageEndpoint(node.hca(), pd, settings.cqEntries(), context.getSelf(), Notice.COMPLETIONS, false, null, this);
    channel = endpoint.open(settings);
    endpoint.arm();
    node.cm().connect(to.node(), to.service(), channel.qp(), ConnectionOptions.DEFAULT.withAccessFlags(Access.REMOTE_READ | Access.REMOTE_WRITE),
        new Hello(4711, 4, 4096, 0, 0, 0, 0).encode(), context.messageAdapter(ConnectionEvent.class, Connected::new), "raw");
    channel.postReceives();
    return Behaviors.receive(Command.class).onAnyMessage(this::onMessage).build();
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Run run -> run.what().run();
      case Connected connected -> isConnected = connected.event() instanceof ConnectionEvent.Established;
      default -> endpoint.service(64);
    }
    return Behaviors.same();
  }

  /** A request with one range of the object and the same many bytes of our memory. */
  void request(DaemonRequest request, int bytes) {
    self.tell(new Run(() -> {
      request.file.add(0, bytes);
      request.memory.add(memory.addr(), bytes, memory.rkey());
      int slot = channel.reserve();
      channel.send(slot, request.encode(channel.buffers(), channel.offset(slot)), true);
    }));
  }

  void done(long id) {
    self.tell(new Run(() -> {
      int slot = channel.reserve();
      channel.send(slot, DaemonRequest.encodeDone(channel.buffers(), channel.offset(slot), id), true);
    }));
  }

  /** Reads from memory of the daemon. */
  void fetch(long address, int key, int bytes) {
    self.tell(new Run(() -> channel.transfer(new WorkRequest().read(address, key).sge(memory, 0, bytes), true, 1)));
  }

  /** Our memory. */
  MemorySegment memory() {
    return memory.segment();
  }

  @Override
  public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
    DaemonReply reply = new DaemonReply();
    if (reply.decode(buffer, offset, length)) {
      said.add(new Said(reply.id, reply.errno, reply.bytes, reply.isLoan, reply.loanAddress, reply.loanKey));
    }
  }

  @Override
  public void onCompleted(MessageChannel from, long token, WcStatus status) {
    completed.add(status);
  }

  @Override
  public void onSendRoom(MessageChannel from) {
    // It sends little.
  }

  @Override
  public void onFailed(MessageChannel from, WcStatus status, int vendorErr) {
    hasFailed = true;
  }
}

package dev.weft.pvfs.transport;

import akka.actor.typed.ActorRef;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ProtectionDomain;

/** The door of the fabric: channels over queue pairs. Who has it listens, and makes {@linkplain #visitor visitors} of requests. */
public final class FabricDoor implements Door {
  private final MessageEndpoint endpoint;
  private final ChannelSettings settings;
  private final int dataBytes;
  private final ConnectionOptions options;
  private final ActorRef<ConnectionEvent> events;

  /**
   * Closed until {@link #arm}.
   *
   * @param channels at a time
   * @param dataBytes as {@link Visitor#dataBytes}
   * @param owner told {@code notice} when {@link #service} is to be called
   * @param events told what becomes of connections
   */
  public <T> FabricDoor(Node node, ProtectionDomain pd, ChannelSettings settings, int channels, int dataBytes, ConnectionOptions options,
      MessageHandler handler, ActorRef<T> owner, T notice, ActorRef<ConnectionEvent> events) {
    this.settings = settings;
    this.dataBytes = dataBytes;
    this.options = options;
    this.events = events;
    this.endpoint = new MessageEndpoint(node.hca(), pd, channels * settings.cqEntries(), owner, notice, false, null, handler);
  }

  /** The owner is told from now on. */
  public void arm() {
    endpoint.arm();
  }

  public Visitor visitor(ConnectionRequest request) {
    return new FabricVisitor(request, endpoint, settings, dataBytes, options, events);
  }

  @Override
  public void service(int budget) {
    endpoint.service(budget);
  }

  @Override
  public void close() {
    endpoint.close();
  }
}

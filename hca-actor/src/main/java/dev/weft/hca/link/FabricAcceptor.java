package dev.weft.hca.link;

import akka.actor.typed.ActorRef;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ProtectionDomain;

/** Accepts clients of the fabric: their channels are queue pairs. Its owner listens, and turns each request into an {@linkplain #incoming incoming client}. */
public final class FabricAcceptor implements Acceptor {
  private final MessageEndpoint endpoint;
  private final ChannelSettings settings;
  private final int dataBytes;
  private final ConnectionOptions options;
  private final ActorRef<ConnectionEvent> events;

  /**
   * Makes an acceptor; it reports nothing until {@link #arm}.
   *
   * @param channels maximum number at a time
   * @param dataBytes as {@link IncomingClient#dataBytes}
   * @param owner told {@code notice} when {@link #service} is to be called
   * @param events told about the state of connections
   */
  public <T> FabricAcceptor(Node node, ProtectionDomain pd, ChannelSettings settings, int channels, int dataBytes, ConnectionOptions options,
      MessageHandler handler, ActorRef<T> owner, T notice, ActorRef<ConnectionEvent> events) {
    this.settings = settings;
    this.dataBytes = dataBytes;
    this.options = options;
    this.events = events;
    this.endpoint = new MessageEndpoint(node.hca(), pd, channels * settings.cqEntries(), owner, notice, false, null, handler);
  }

  /** From now on the owner is told about messages. */
  public void arm() {
    endpoint.arm();
  }

  public IncomingClient incoming(ConnectionRequest request) {
    return new FabricIncomingClient(request, endpoint, settings, dataBytes, options, events);
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

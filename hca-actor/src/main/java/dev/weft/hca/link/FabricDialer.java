package dev.weft.hca.link;

import akka.actor.typed.ActorRef;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ProtectionDomain;

/** Connections over queue pairs. */
public final class FabricDialer implements Dialer {
  private final Node node;
  private final MessageEndpoint endpoint;
  private final ChannelSettings settings;
  private final ConnectionOptions options;
  private final ActorRef<ConnectionEvent> events;

  /**
   * Makes a dialer and arms its completion queue.
   *
   * @param connections maximum number at a time
   * @param owner told {@code notice} when {@link #service} is to be called
   */
  public <T> FabricDialer(Node node, ProtectionDomain pd, ChannelSettings settings, ConnectionOptions options, int connections, MessageHandler handler,
      ActorRef<T> owner, T notice, ActorRef<ConnectionEvent> events) {
    this.node = node;
    this.settings = settings;
    this.options = options;
    this.events = events;
    this.endpoint = new MessageEndpoint(node.hca(), pd, connections * settings.cqEntries(), owner, notice, true, null, handler);
    endpoint.arm();
  }

  @Override
  public MessageChannel connect(String to, String service, byte[] hello, Object context) {
    QueuePairChannel channel = endpoint.open(settings);
    try {
      node.cm().connect(to, service, channel.qp(), options, hello, events, context);
      channel.postReceives();
      return channel;
    } catch (RuntimeException | OutOfMemoryError refused) {
      channel.close();
      throw refused;
    }
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

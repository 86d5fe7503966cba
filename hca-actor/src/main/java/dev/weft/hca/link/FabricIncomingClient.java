package dev.weft.hca.link;

import akka.actor.typed.ActorRef;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.QueuePairChannel;

/**
 * A client of the fabric that asks to be accepted.
 *
 * @param dataBytes as {@link IncomingClient#dataBytes}
 * @param events told about the state of the connection
 */
record FabricIncomingClient(ConnectionRequest request, MessageEndpoint endpoint, ChannelSettings settings, int dataBytes, ConnectionOptions options,
    ActorRef<ConnectionEvent> events) implements IncomingClient {
  @Override
  public String peer() {
    return request.peerNode();
  }

  @Override
  public byte[] hello() {
    return request.privateData();
  }

  @Override
  public MessageChannel open() {
    return endpoint.open(settings);
  }

  @Override
  public void accept(MessageChannel channel, byte[] hello, Object context) {
    QueuePairChannel over = (QueuePairChannel) channel;
    request.accept(over.qp(), options, hello, events, context);
    over.postReceives();
  }

  @Override
  public void reject(byte[] why) {
    request.reject(why);
  }
}

package dev.weft.pvfs.tcp;

import akka.actor.typed.ActorRef;
import dev.weft.hca.link.Acceptor;
import dev.weft.hca.link.IncomingClient;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A service that is offered to TCP clients. */
final class TcpAcceptor implements Acceptor {
  final TcpEndpoint endpoint;
  private final ActorRef<IncomingClient> clients;
  private final Runnable whenClosed;
  /** Clients that have not been answered. */
  private final Set<SocketChannel> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  TcpAcceptor(TcpEndpoint endpoint, ActorRef<IncomingClient> clients, Runnable whenClosed) {
    this.endpoint = endpoint;
    this.clients = clients;
    this.whenClosed = whenClosed;
  }

  /** A client has proved that it knows the secret. Any thread. */
  void onAuthenticated(SocketChannel socket, String peer, byte[] hello) {
    waiting.add(socket);
    if (isClosed) {
      TcpListener.close(socket);
      return;
    }
    clients.tell(new TcpIncomingClient(this, socket, peer, hello));
  }

  void answered(SocketChannel socket) {
    waiting.remove(socket);
  }

  @Override
  public void service(int budget) {
    endpoint.service(budget);
  }

  @Override
  public void close() {
    isClosed = true;
    whenClosed.run();
    endpoint.close();
    List.copyOf(waiting).forEach(TcpListener::close);
    waiting.clear();
  }
}

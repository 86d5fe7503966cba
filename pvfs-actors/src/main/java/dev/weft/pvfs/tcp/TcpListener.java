package dev.weft.pvfs.tcp;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.hca.link.Acceptor;
import dev.weft.hca.link.IncomingClient;
import dev.weft.hca.link.ServiceListener;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.pvfs.wire.NoEntry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts TCP clients, at one port for all services of this JVM. Any thread. */
public final class TcpListener implements ServiceListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpListener.class);
  private static final int BACKLOG = 64;
  private static final long PAUSE_NS = 100_000_000;

  /**
   * Connections since the listener was opened.
   *
   * @param letIn connections that have proved the secret
   * @param wrongSecret connections that have shown another secret
   * @param refused connections that have shown none: their data was cut off, took too long or was invalid
   * @param crowdedOut connections at the maximum number that were closed for newer ones before they had asked for anything
   */
  public record Counts(long letIn, long wrongSecret, long refused, long crowdedOut) {}

  private final ServerSocketChannel server;
  private final InetSocketAddress address;
  private final TcpHandshake handshake;
  private final long patienceNs;
  private final UnaryOperator<String> elsewhere;
  private final PendingHandshakes handshakes;
  private final TcpSelector selector;
  private final Map<String, TcpAcceptor> acceptors = new ConcurrentHashMap<>();
  private final AtomicLong letIn = new AtomicLong();
  private final AtomicLong wrongSecret = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong crowdedOut = new AtomicLong();

  private TcpListener(ServerSocketChannel server, FabricSecret secret, TcpSettings settings, UnaryOperator<String> elsewhere) throws IOException {
    this.server = server;
    this.address = (InetSocketAddress) server.getLocalAddress();
    this.handshake = new TcpHandshake(secret);
    this.patienceNs = settings.handshakeNs();
    this.handshakes = new PendingHandshakes(settings.handshakesMax());
    this.selector = new TcpSelector(settings.stalledNs());
    this.elsewhere = elsewhere;
    Thread.ofPlatform().daemon().name("weft-pvfs-tcp-accept").start(() -> acceptWhile(server::isOpen, server::accept, this::take));
  }

  /**
   * Listens at {@code settings.listen()} until it is closed.
   *
   * @param elsewhere returns "host:port" of the listener of another JVM that has the service of a node; null if unknown
   * @throws IllegalArgumentException if that is not an address, or other hosts reach it and the settings forbid that
   * @throws IOException if it cannot listen there
   */
  public static TcpListener open(TcpSettings settings, FabricSecret secret, UnaryOperator<String> elsewhere) throws IOException {
    InetSocketAddress at = TcpAddress.parse(settings.listen());
    if (!at.getAddress().isLoopbackAddress() && !settings.allowsNonLoopback()) {
      throw new IllegalArgumentException("address '" + settings.listen() + "' is not loopback, and the connections are not encrypted: use a"
          + " loopback address, or, on a network where nobody reads or changes what others send, set weft.pvfs.tcp.allow-non-loopback = true");
    }
    ServerSocketChannel server = ServerSocketChannel.open();
    try {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(at, BACKLOG);
      return new TcpListener(server, secret, settings, elsewhere);
    } catch (IOException refused) {
      server.close();
      throw new IOException("the file system cannot be served on " + settings.listen() + ": " + refused.getMessage(), refused);
    }
  }

  /** The address at which it listens, as {@code host:port}. */
  public String address() {
    return TcpAddress.text(address);
  }

  public Counts counts() {
    return new Counts(letIn.get(), wrongSecret.get(), refused.get(), crowdedOut.get());
  }

  @Override
  public int dataBytes() {
    return TcpFrames.DATA_BYTES;
  }

  @Override
  public <T> Acceptor open(String node, String service, int messageBytes, MessageHandler handler,
      ActorRef<T> owner, T notice, ActorRef<IncomingClient> clients) {
    String name = node + " " + service;
    TcpAcceptor[] acceptor = {null};
    acceptor[0] = new TcpAcceptor(new TcpEndpoint(selector, messageBytes, handler, owner, notice), clients, () -> acceptors.remove(name, acceptor[0]));
    acceptors.put(name, acceptor[0]);
    return acceptor[0];
  }

  /** Accepts connections, and survives a temporary lack of file descriptors or memory. */
  static void acceptWhile(BooleanSupplier isOpen, Callable<SocketChannel> accept, Consumer<SocketChannel> taker) {
    boolean hasFailed = false;
    while (isOpen.getAsBoolean()) {
      try {
        taker.accept(accept.call());
      } catch (Throwable failed) {
        if (isOpen.getAsBoolean()) {
          if (!hasFailed) {
            LOG.warn("could not accept a client of the file system over TCP: {}; this is logged once", failed.toString());
          }
          hasFailed = true;
          LockSupport.parkNanos(PAUSE_NS);
        }
      }
    }
  }

  private void take(SocketChannel client) {
    SocketChannel oldest = handshakes.add(client);
    if (oldest != null) {
      note(crowdedOut, oldest, "too many newer ones have not yet proved that they know the secret (weft.pvfs.tcp.handshakes-max)");
      close(oldest);
    }
    try {
      Thread.ofVirtual().name("weft-pvfs-tcp-handshake").start(() -> receive(client));
    } catch (Throwable noThread) {
      handshakes.remove(client);
      close(client);
      throw noThread;
    }
  }

  private void receive(SocketChannel client) {
    try {
      TcpOptions.set(client);
      long deadlineNs = System.nanoTime() + patienceNs;
      Socket waiting = client.socket();
      handshake.serve(waiting, deadlineNs);
      letIn.incrementAndGet();
      TcpFrames.Call call = TcpFrames.Call.decode(TcpFrames.read(waiting, deadlineNs));
      if (handshakes.remove(client)) {
        waiting.setSoTimeout(0);
        bring(client, call);
      }
    } catch (TcpHandshake.WrongSecretException wrong) {
      turnAway(wrongSecret, client, wrong.getMessage());
    } catch (Throwable failed) {
      turnAway(refused, client, String.valueOf(failed.getMessage()));
    }
  }

  /** Rejects a client. A connection that had to go for another one is closed and counted already. */
  private void turnAway(AtomicLong count, SocketChannel client, String why) {
    if (handshakes.remove(client) || client.isOpen()) {
      note(count, client, why);
    }
    close(client);
  }

  private void bring(SocketChannel client, TcpFrames.Call call) throws IOException {
    TcpAcceptor acceptor = acceptors.get(call.name());
    if (acceptor != null) {
      acceptor.onAuthenticated(client, "tcp:" + ((InetSocketAddress) client.getRemoteAddress()).getAddress().getHostAddress(), call.hello());
      return;
    }
    String other = elsewhere.apply(call.name().split(" ", 2)[0]);
    if (other == null || other.equals(address())) { // That advert is outdated: the service has ended here.
      refuse(client, TcpFrames.REFUSED, NoEntry.NO_SERVICE.encode());
    } else {
      refuse(client, TcpFrames.ELSEWHERE, other.getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Logs the first one of a kind as a warning, and counts the others. */
  private static void note(AtomicLong count, SocketChannel client, String why) {
    String from = String.valueOf(client.socket().getRemoteSocketAddress());
    if (count.incrementAndGet() == 1) {
      LOG.warn("refused a client of the file system at {}: {}; further ones are only counted", from, why);
    } else {
      LOG.debug("refused a client of the file system at {}: {}", from, why);
    }
  }

  /** Sends the refusal and closes the connection; waits for the kernel. */
  static void refuse(SocketChannel client, byte status, byte[] why) {
    try {
      TcpFrames.write(client.socket(), ByteBuffer.allocate(1 + why.length).put(status).put(why).array());
    } catch (IOException gone) {
      LOG.debug("a refused client closed its connection before it got the reason: {}", gone.getMessage());
    }
    close(client);
  }

  static void close(SocketChannel socket) {
    try {
      socket.close();
    } catch (IOException gone) {
      LOG.debug("a connection could not be closed", gone);
    }
  }

  /** Accepts no more clients. Call it when the services and their connections have ended. */
  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      LOG.debug("a listener could not be closed", e);
    }
    selector.close();
  }
}

package dev.weft.pvfs.tcp;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.pvfs.transport.Door;
import dev.weft.pvfs.transport.Gate;
import dev.weft.pvfs.transport.Visitor;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets clients of TCP in, at one port for all services of this JVM. Any thread. */
public final class TcpListener implements Gate, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpListener.class);
  private static final int BACKLOG = 64;

  /**
   * Connections since it was opened.
   *
   * @param letIn that have shown the secret
   * @param wrongSecret that have shown another one
   * @param refused that have not shown any: what came was cut off, took too long or was none
   * @param crowdedOut that came while as many as there may be had not shown it
   */
  public record Counts(long letIn, long wrongSecret, long refused, long crowdedOut) {}

  private final ServerSocketChannel server;
  private final InetSocketAddress address;
  private final TcpHandshake handshake;
  private final long patienceNs;
  private final UnaryOperator<String> elsewhere;
  private final Semaphore strangers;
  private final TcpSelector selector;
  private final Map<String, TcpDoor> doors = new ConcurrentHashMap<>();
  private final AtomicLong letIn = new AtomicLong();
  private final AtomicLong wrongSecret = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong crowdedOut = new AtomicLong();

  private TcpListener(ServerSocketChannel server, FabricSecret secret, TcpSettings settings, UnaryOperator<String> elsewhere) throws IOException {
    this.server = server;
    this.address = (InetSocketAddress) server.getLocalAddress();
    this.handshake = new TcpHandshake(secret);
    this.patienceNs = settings.handshakeNs();
    this.strangers = new Semaphore(settings.handshakesMax());
    this.selector = new TcpSelector(settings.stalledNs());
    this.elsewhere = elsewhere;
    Thread.ofPlatform().daemon().name("weft-pvfs-tcp-accept").start(this::accept);
  }

  /**
   * Listens at {@code settings.listen()}, until it is closed.
   *
   * @param elsewhere "host:port" of the listener of another JVM that has the service of a node; null if it is not known
   * @throws IllegalArgumentException if that is no address, or other hosts reach it and they may not
   * @throws IOException if it cannot listen there
   */
  public static TcpListener open(TcpSettings settings, FabricSecret secret, UnaryOperator<String> elsewhere) throws IOException {
    InetSocketAddress at = TcpAddress.parse(settings.listen());
    if (!at.getAddress().isLoopbackAddress() && !settings.allowsNonLoopback()) {
      throw new IllegalArgumentException("address '" + settings.listen() + "' is not loopback, and what goes over the connections is not encrypted: use a"
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

  /** Where it listens, as {@code host:port}. */
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
  public <T> Door open(String node, String service, int messageBytes, MessageHandler handler, ActorRef<T> owner, T notice, ActorRef<Visitor> visitors) {
    String name = node + " " + service;
    TcpDoor[] door = {null};
    door[0] = new TcpDoor(new TcpEndpoint(selector, messageBytes, handler, owner, notice), visitors, () -> doors.remove(name, door[0]));
    doors.put(name, door[0]);
    return door[0];
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        SocketChannel client = server.accept();
        if (strangers.tryAcquire()) {
          Thread.ofVirtual().name("weft-pvfs-tcp-stranger").start(() -> receive(client));
        } else {
          note(crowdedOut, client, "as many others have not shown yet that they know the secret (weft.pvfs.tcp.handshakes-max)");
          close(client);
        }
      } catch (IOException e) {
        if (server.isOpen()) {
          LOG.warn("no clients are taken over TCP any more: {}", e.toString());
        }
        return;
      }
    }
  }

  private void receive(SocketChannel client) {
    try {
      client.setOption(StandardSocketOptions.TCP_NODELAY, true);
      client.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      long deadlineNs = System.nanoTime() + patienceNs;
      Socket waiting = client.socket();
      handshake.serve(waiting, deadlineNs);
      letIn.incrementAndGet();
      TcpFrames.Call call = TcpFrames.Call.decode(TcpFrames.read(waiting, deadlineNs));
      waiting.setSoTimeout(0);
      bring(client, call);
    } catch (TcpHandshake.WrongSecretException wrong) {
      note(wrongSecret, client, wrong.getMessage());
      close(client);
    } catch (IOException | RuntimeException failed) {
      note(refused, client, String.valueOf(failed.getMessage()));
      close(client);
    } finally {
      strangers.release();
    }
  }

  private void bring(SocketChannel client, TcpFrames.Call call) throws IOException {
    TcpDoor door = doors.get(call.name());
    if (door != null) {
      door.knock(client, "tcp:" + ((InetSocketAddress) client.getRemoteAddress()).getAddress().getHostAddress(), call.hello());
      return;
    }
    String other = elsewhere.apply(call.name().split(" ", 2)[0]);
    if (other == null) {
      refuse(client, TcpFrames.REFUSED, NoEntry.NO_SERVICE.encode());
    } else {
      refuse(client, TcpFrames.ELSEWHERE, other.getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** The first of a kind is a warning, the others are counted. */
  private static void note(AtomicLong count, SocketChannel client, String why) {
    String from = String.valueOf(client.socket().getRemoteSocketAddress());
    if (count.incrementAndGet() == 1) {
      LOG.warn("a client of the file system at {} was not let in: {}; others like it are counted", from, why);
    } else {
      LOG.debug("a client of the file system at {} was not let in: {}", from, why);
    }
  }

  /** Says so, and closes the connection; waits for the kernel. */
  static void refuse(SocketChannel client, byte status, byte[] why) {
    try {
      TcpFrames.write(client.socket(), ByteBuffer.allocate(1 + why.length).put(status).put(why).array());
    } catch (IOException gone) {
      LOG.debug("a client went away before it was told why it is not let in: {}", gone.getMessage());
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

  /** Nobody is let in any more. To be called when the services have ended, and their connections with them. */
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

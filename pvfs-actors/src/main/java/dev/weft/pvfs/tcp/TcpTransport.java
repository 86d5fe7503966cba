package dev.weft.pvfs.tcp;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.link.Dialer;
import dev.weft.hca.link.Transport;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.pvfs.wire.NoEntry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The client's side: reaches manager and daemons at the listener of one JVM, and at further ones to which it redirects. Any thread. */
public final class TcpTransport implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(TcpTransport.class);
  private static final int REDIRECTIONS_MAX = 2;
  /** No service has this name: a request for it only tests whether the listener answers. */
  private static final String NO_SERVICE = "";

  private final InetSocketAddress listener;
  private final TcpHandshake handshake;
  private final long patienceNs;
  private final TcpSelector selector;
  private final AtomicBoolean isMisled = new AtomicBoolean();

  /**
   * Makes a transport without connections.
   *
   * @param listener of the JVM that has the manager
   * @param settings with the time limit of an answer
   */
  public TcpTransport(InetSocketAddress listener, FabricSecret secret, TcpSettings settings) {
    this.listener = listener;
    this.handshake = new TcpHandshake(secret);
    this.patienceNs = settings.handshakeNs();
    this.selector = new TcpSelector(settings.stalledNs());
  }

  @Override
  public int dataBytes() {
    return TcpFrames.DATA_BYTES;
  }

  @Override
  public <T> Dialer dialer(int messageBytes, MessageHandler handler, ActorRef<T> owner, T notice, ActorRef<ConnectionEvent> events) {
    return new OfActor(new TcpEndpoint(selector, messageBytes, handler, owner, notice), events);
  }

  private final class OfActor implements Dialer {
    private final TcpEndpoint endpoint;
    private final ActorRef<ConnectionEvent> events;

    OfActor(TcpEndpoint endpoint, ActorRef<ConnectionEvent> events) {
      this.endpoint = endpoint;
      this.events = events;
    }

    @Override
    public MessageChannel connect(String node, String service, byte[] hello, Object context) {
      TcpChannel channel = endpoint.open();
      Thread.ofVirtual().name("weft-pvfs-tcp-connect").start(() -> call(channel, node, new TcpFrames.Call(node + " " + service, hello), context));
      return channel;
    }

    private void call(TcpChannel channel, String node, TcpFrames.Call call, Object context) {
      try {
        byte[] answer = reach(channel, listener, call, REDIRECTIONS_MAX);
        if (answer[0] == TcpFrames.ELSEWHERE) {
          throw new IOException("each listener says that it is at another one");
        }
        byte[] said = Arrays.copyOfRange(answer, 1, answer.length);
        events.tell(answer[0] == TcpFrames.TAKEN ? new ConnectionEvent.Established(context, new TcpConnection(channel, node, said), said)
            : new ConnectionEvent.Rejected(context, RejectReason.CONSUMER, said));
      } catch (Throwable failed) { // The actor waits for one event or the other, whatever happens.
        boolean isWrongSecret = failed instanceof TcpHandshake.WrongSecretException;
        if (failed instanceof IOException) {
          LOG.debug("{} is not reached over TCP: {}", call.name(), failed.getMessage());
        } else {
          LOG.warn("{} is not reached over TCP", call.name(), failed);
        }
        events.tell(new ConnectionEvent.Rejected(context, RejectReason.CONSUMER, (isWrongSecret ? NoEntry.WRONG_SECRET : NoEntry.UNREACHABLE).encode()));
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

  /**
   * Checks that the listener is there and knows the same secret; waits for it.
   *
   * @throws IOException with the reason if not
   */
  public void check() throws IOException {
    try {
      reach(null, listener, new TcpFrames.Call(NO_SERVICE, new byte[0]), 0);
    } catch (IOException failed) {
      throw new IOException(TcpAddress.text(listener) + ": " + failed.getMessage(), failed);
    }
  }

  /** Returns the answer; if that is TAKEN, the channel has the socket. */
  private byte[] reach(TcpChannel channel, InetSocketAddress at, TcpFrames.Call call, int redirections) throws IOException {
    SocketChannel socket = SocketChannel.open();
    boolean isKept = false;
    try {
      long deadlineNs = System.nanoTime() + patienceNs;
      TcpOptions.set(socket);
      Socket waiting = socket.socket();
      waiting.connect(at, (int) (patienceNs / 1_000_000));
      handshake.call(waiting, deadlineNs);
      TcpFrames.write(waiting, call.encode());
      byte[] answer = TcpFrames.read(waiting, deadlineNs);
      if (answer.length == 0) {
        throw new IOException("an answer without a status");
      }
      if (answer[0] == TcpFrames.ELSEWHERE && redirections > 0) {
        return reach(channel, elsewhere(at, answer), call, redirections - 1);
      }
      if (answer[0] == TcpFrames.TAKEN) {
        socket.setOption(StandardSocketOptions.SO_LINGER, 0); // Closing an abandoned connection discards its unsent data.
        channel.bind(socket);
        isKept = true;
      }
      return answer;
    } finally {
      if (!isKept) {
        socket.close();
      }
    }
  }

  /** Returns the address to which the listener at {@code at} redirects. A listener on this host must not redirect to another host. */
  InetSocketAddress elsewhere(InetSocketAddress at, byte[] answer) throws IOException {
    String text = new String(answer, 1, answer.length - 1, StandardCharsets.US_ASCII);
    InetSocketAddress said;
    try {
      said = TcpAddress.parse(text);
    } catch (IllegalArgumentException none) {
      throw new IOException("it says that the service is at '" + text + "', which is no address", none);
    }
    if (said.getAddress().isAnyLocalAddress()) { // All addresses of its host.
      said = new InetSocketAddress(listener.getAddress(), said.getPort());
    }
    if (at.getAddress().isLoopbackAddress() && !said.getAddress().isLoopbackAddress()) {
      String why = TcpAddress.text(at) + " says that the service is at " + text + ", which is not on this host: connect to an address that other hosts reach";
      if (isMisled.compareAndSet(false, true)) {
        LOG.warn("{}; told once", why);
      }
      throw new IOException(why);
    }
    return said;
  }

  @Override
  public void close() {
    selector.close();
  }
}

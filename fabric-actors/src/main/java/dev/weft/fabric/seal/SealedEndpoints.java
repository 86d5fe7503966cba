package dev.weft.fabric.seal;

import io.aeron.driver.DataPacketDispatcher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.media.ReceiveChannelEndpoint;
import io.aeron.driver.media.SendChannelEndpoint;
import io.aeron.driver.media.UdpChannel;
import io.aeron.driver.media.UdpChannelTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.stream.Stream;
import org.agrona.ErrorHandler;
import org.agrona.LangUtil;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Makes all UDP endpoints of a media driver seal what they send and open what they receive: trunks, Akka's Artery, set-up, status and loss messages.
 * The threading mode must be {@link ThreadingMode#SHARED_NETWORK}, because the endpoints share state. Multicast and channels with several destinations
 * are refused; Weft uses none.
 */
public final class SealedEndpoints {
  /** Datagrams of a socket that are opened at a time, so that rejected ones keep no other socket waiting. */
  private static final int REJECTED_AT_A_TIME = 16;

  private SealedEndpoints() {}

  /** Makes the endpoints of a driver sealed; it gets counters for them. */
  public static void install(MediaDriver.Context context, SealKey key) {
    if (context.threadingMode() != ThreadingMode.SHARED_NETWORK) {
      throw new IllegalArgumentException("sealed endpoints need the threading mode SHARED_NETWORK, not " + context.threadingMode());
    }
    Counters counters = new Counters();
    SealedSocket.Process process = new SealedSocket.Process(key, counters::count, context.nanoClock()::nanoTime);
    context.sendChannelEndpointSupplier((channel, status, driver) -> {
      counters.allocate(driver);
      return new Sending(channel, status, driver, new SealedSocket(process));
    });
    context.receiveChannelEndpointSupplier((channel, dispatcher, status, driver) -> {
      counters.allocate(driver);
      return new Receiving(channel, dispatcher, status, driver, new SealedSocket(process));
    });
  }

  /** The driver's conductor makes all endpoints, and with the first one the counters. The network thread counts. */
  private static final class Counters {
    private volatile AtomicCounter[] counters;

    void allocate(MediaDriver.Context driver) {
      if (counters == null) {
        counters = Stream.of(SealCounter.values()).map(each -> driver.countersManager().newCounter(each.label(), SealCounter.TYPE_ID))
            .toArray(AtomicCounter[]::new);
      }
    }

    void count(SealCounter counter) {
      counters[counter.ordinal()].incrementRelease();
    }
  }

  private static UdpChannel oneReceiver(UdpChannel channel) {
    if (channel.isMulticast() || channel.isMultiDestination()) {
      throw new IllegalArgumentException("a fabric with a secret has channels to one receiver only, not " + channel.originalUriString());
    }
    return channel;
  }

  /** What both kinds of endpoint have in common. */
  private static final class Seal {
    private final SealedSocket socket;
    private final SealedSocket.Wire wire;
    private final ErrorHandler errors;
    private final ByteBuffer sealed = ByteBuffer.allocateDirect(1 << 16);
    private InetSocketAddress local;

    Seal(SealedSocket socket, SealedSocket.Wire wire, ErrorHandler errors) {
      this.socket = socket;
      this.wire = wire;
      this.errors = errors;
    }

    /** Returns the length of {@code plain}, or 0 if it was not sent; Aeron treats errors in the same way. */
    int send(ByteBuffer plain, InetSocketAddress to) {
      int length = plain.remaining();
      try {
        socket.send(plain, to, wire);
        plain.position(plain.limit());
        return length;
      } catch (PortUnreachableException gone) {
        return 0;
      } catch (IOException e) {
        UdpChannelTransport.onSendError(e, to, errors);
        return 0;
      }
    }

    /** Returns the sender of the datagram that {@code plain} has got; null if there is none. */
    InetSocketAddress receive(DatagramChannel channel, ByteBuffer plain) {
      try {
        for (int i = 0; i < REJECTED_AT_A_TIME && channel.isOpen(); i++) {
          plain.clear();
          sealed.clear();
          InetSocketAddress from = (InetSocketAddress) channel.receive(sealed);
          if (from == null) {
            return null;
          }
          if (local == null) {
            local = (InetSocketAddress) channel.getLocalAddress();
          }
          if (socket.open(sealed, from, local, plain, wire)) {
            return from;
          }
        }
      } catch (PortUnreachableException gone) {
        return null; // As Aeron treats it: the receiver may come back.
      } catch (IOException e) {
        LangUtil.rethrowUnchecked(e);
      }
      return null;
    }

    /** The socket may have got another address. */
    void moved() {
      local = null;
    }
  }

  private static final class Sending extends SendChannelEndpoint {
    private final Seal seal;

    Sending(UdpChannel channel, AtomicCounter status, MediaDriver.Context context, SealedSocket socket) {
      super(oneReceiver(channel), status, context);
      // If the socket has no room, the datagram is lost; Aeron repeats it.
      seal = new Seal(socket, (sealed, to) -> sendDatagramChannel.write(sealed), errorHandler);
    }

    @Override
    public int send(ByteBuffer plain) {
      return send(plain, connectAddress);
    }

    @Override
    public int send(ByteBuffer plain, InetSocketAddress to) {
      return sendDatagramChannel != null && sendDatagramChannel.isConnected() ? seal.send(plain, to) : 0;
    }

    @Override
    public InetSocketAddress receive(ByteBuffer plain) {
      return seal.receive(receiveDatagramChannel, plain);
    }

    @Override
    public void updateEndpoint(InetSocketAddress moved, AtomicCounter status) {
      super.updateEndpoint(moved, status);
      seal.moved();
    }
  }

  private static final class Receiving extends ReceiveChannelEndpoint {
    private final Seal seal;

    Receiving(UdpChannel channel, DataPacketDispatcher dispatcher, AtomicCounter status, MediaDriver.Context context, SealedSocket socket) {
      super(oneReceiver(channel), dispatcher, status, context);
      seal = new Seal(socket, (sealed, to) -> sendDatagramChannel.send(sealed, to), errorHandler);
    }

    @Override
    public int sendTo(ByteBuffer plain, InetSocketAddress to) {
      return sendDatagramChannel != null && sendDatagramChannel.isOpen() ? seal.send(plain, to) : 0;
    }

    @Override
    public InetSocketAddress receive(ByteBuffer plain) {
      return seal.receive(receiveDatagramChannel, plain);
    }
  }
}

package dev.weft.fabric.trunk;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.time.Clock;
import io.aeron.Aeron;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This JVM's end of all trunks: its Aeron client, the subscriptions that all peers publish into, and the publications to
 * them. Calls wait for the media driver, so not on the hardware thread. One thread, the agent's; {@link #receiver()}
 * belongs to the hardware thread.
 *
 * <p>If the client loses the driver, or the JVM was paused for longer than the driver's client liveness timeout, Aeron
 * closes everything: {@link #isOpen()} answers false from then on, and nothing can be sent or received any more.
 */
public final class TrunkEndpoint implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TrunkEndpoint.class);
  /** UDP subscriptions are told apart by their port, so all use one stream. */
  private static final int UDP_STREAM = 1;
  private static final long DRIVER_TIMEOUT_MS = 10_000;
  /** Received packets refer to buffers of closed images; they are long through the switch when these are unmapped. */
  private static final long IMAGE_LINGER_NS = TimeUnit.SECONDS.toNanos(30);
  private static final long CLOSE_LINGER_NS = TimeUnit.MILLISECONDS.toNanos(300);

  private final TrunkSettings settings;
  private final TrunkReceiver receiver;
  private final Aeron aeron;
  private final Subscription udp;
  private final String udpAddress;
  private Subscription ipc;
  private int streamId;
  private int generation;

  /** One direction of a trunk, for {@link TrunkCable}. */
  public record Line(int peer, ExclusivePublication publication, boolean overUdp) {}

  private TrunkEndpoint(TrunkSettings settings, Path aeronDirectory, TrunkReceiver receiver) {
    this.settings = settings;
    this.receiver = receiver;
    this.aeron = Aeron.connect(new Aeron.Context()
        .aeronDirectoryName(aeronDirectory.toString())
        .driverTimeoutMs(DRIVER_TIMEOUT_MS)
        .resourceLingerDurationNs(IMAGE_LINGER_NS)
        .closeLingerDurationNs(CLOSE_LINGER_NS)
        .errorHandler(error -> LOG.error("Aeron client of the trunks", error)));
    if (settings.transport() == TrunkSettings.Transport.IPC) {
      udp = null;
      udpAddress = "";
    } else {
      String endpoint = settings.udpHost() + ":" + settings.udpPort();
      udp = aeron.addSubscription(new ChannelUriStringBuilder().media(CommonContext.UDP_MEDIA).endpoint(endpoint)
          .alias("weft-trunk").build(), UDP_STREAM, receiver::onImage, image -> {});
      udpAddress = resolve(udp);
    }
  }

  /**
   * Connects to the media driver and starts to listen on UDP, if the settings want that.
   *
   * @param virtualLanes lanes of the switch
   * @throws io.aeron.exceptions.AeronException if the driver does not answer
   */
  public static TrunkEndpoint open(TrunkSettings settings, Path aeronDirectory, int virtualLanes) {
    return new TrunkEndpoint(settings, aeronDirectory, new TrunkReceiver(settings, virtualLanes));
  }

  private static String resolve(Subscription subscription) {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DRIVER_TIMEOUT_MS);
    while (System.nanoTime() < deadlineNs) {
      for (String address : subscription.localSocketAddresses()) {
        return address;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    throw new IllegalStateException("the media driver did not bind " + subscription.channel());
  }

  /** Where peers reach this JVM over UDP, {@code host:port}; empty if they do not. */
  public String udpAddress() {
    return udpAddress;
  }

  public TrunkReceiver receiver() {
    return receiver;
  }

  public TrunkSettings settings() {
    return settings;
  }

  /**
   * Listens in shared memory on this JVM's stream.
   *
   * @param ownStreamId assigned by the subnet manager, 1 to 32767, unique in the cluster
   */
  public void listen(int ownStreamId) {
    if (ownStreamId < 1 || ownStreamId > 0x7fff) {
      throw new IllegalArgumentException("stream id " + ownStreamId + " must be from 1 to 32767");
    }
    if (ownStreamId == streamId) {
      return;
    }
    CloseHelper.close(ipc);
    streamId = ownStreamId;
    if (settings.transport() != TrunkSettings.Transport.UDP) {
      ipc = aeron.addSubscription(CommonContext.IPC_CHANNEL, ownStreamId, receiver::onImage, image -> {});
    }
  }

  /**
   * Opens the sending direction to a peer; {@link #listen} comes first.
   *
   * @param peer stream id of the peer
   * @param sameDriver whether the peer uses the same media driver
   * @param peerUdpAddress its {@link #udpAddress()}
   * @throws IllegalStateException if the settings of the two leave no way to the peer
   */
  public Line connect(int peer, boolean sameDriver, String peerUdpAddress) {
    boolean overUdp = settings.transport() == TrunkSettings.Transport.UDP || !sameDriver;
    if (overUdp && (settings.transport() == TrunkSettings.Transport.IPC || peerUdpAddress.isEmpty())) {
      throw new IllegalStateException("JVM " + peer + " does not share the media driver, and "
          + (peerUdpAddress.isEmpty() ? "it does" : "this JVM's setting weft.fabric.trunk.transport = ipc does")
          + " not allow UDP");
    }
    ChannelUriStringBuilder channel = new ChannelUriStringBuilder()
        .media(overUdp ? CommonContext.UDP_MEDIA : CommonContext.IPC_MEDIA)
        .mtu(TrunkFrame.mtuFor(settings.pathMtuBytes()))
        .termLength(overUdp ? settings.udpTermLength() : settings.ipcTermLength())
        .sessionId(TrunkReceiver.sessionId(streamId, ++generation))
        .alias("weft-trunk-" + streamId + "-" + peer);
    if (overUdp) {
      channel.endpoint(peerUdpAddress);
    }
    return new Line(peer, aeron.addExclusivePublication(channel.build(), overUdp ? UDP_STREAM : peer), overUdp);
  }

  /**
   * Lays the cable of a line: its receiving direction is attached to the port. Hardware thread; the caller adds the cable to
   * the pollers.
   *
   * @param port the switch port at this end
   */
  public TrunkCable lay(Line line, ActorRef<HardwareMessage> port, Clock clock) {
    TrunkReceiver.Inbound inbound = receiver.attach(line.peer(), port);
    return new TrunkCable(port, inbound, line.publication(), settings, clock, receiver.virtualLanes(), line.overUdp());
  }

  /** Ends a cable; its line may be closed then. Hardware thread. */
  public void unplug(Line line, TrunkCable cable) {
    cable.unplug();
    receiver.detach(line.peer(), cable.inbound());
  }

  /** Whether the media driver still answers. Any thread. */
  public boolean isOpen() {
    return !aeron.isClosed();
  }

  /** Closes everything. The hardware thread must not deliver received packets any more. */
  @Override
  public void close() {
    aeron.close();
  }
}

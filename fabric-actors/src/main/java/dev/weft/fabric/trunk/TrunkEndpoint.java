package dev.weft.fabric.trunk;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.admission.ControlPort;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.dispatch.Bell;
import dev.weft.fabric.files.JvmName;
import dev.weft.fabric.memory.PeerMemory;
import dev.weft.fabric.memory.SharedMemory;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.seal.SealCounter;
import dev.weft.fabric.time.Clock;
import dev.weft.fabric.time.Pause;
import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.exceptions.DriverTimeoutException;
import io.aeron.exceptions.RegistrationException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.status.CountersReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This JVM's end of all trunks: its Aeron client, the subscriptions that all peers publish into, and the publications to the
 * peers. Only the agent's thread calls it, because calls wait for the media driver; methods for other threads say so. {@link
 * #receiver()} belongs to the hardware thread.
 *
 * <p>If the driver's process ends, Aeron closes everything: {@link #isOpen()} returns false from then on, and nothing can be sent or received any
 * more. A pause of this JVM or of the driver has no effect.
 */
public final class TrunkEndpoint implements AutoCloseable {
  private static final int GENERATIONS_APART = 97;
  private static final Logger LOG = LoggerFactory.getLogger(TrunkEndpoint.class);
  /** All UDP subscriptions use one stream; their ports distinguish them. */
  private static final int UDP_STREAM = 1;
  /** A stream on which nothing is sent. */
  private static final int RESERVED_STREAM = 0x77656674;
  private static final long DRIVER_TIMEOUT_MS = 10_000;
  /** A paused driver is not lost, and the end of its process is reported ({@link dev.weft.fabric.cluster.MediaDriverProcess#sayThatItHasEnded}). */
  private static final long FOREVER_MS = TimeUnit.DAYS.toMillis(3650);
  /** Received packets may refer to buffers of closed images. After this time, they have long passed the switch, and Aeron unmaps the buffers. */
  private static final long IMAGE_LINGER_NS = TimeUnit.SECONDS.toNanos(30);
  /** Interval of the client's own thread, which detects new peers and tells the driver that this JVM is alive. */
  private static final long CLIENT_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long CLOSE_LINGER_NS = TimeUnit.MILLISECONDS.toNanos(300);

  private final TrunkSettings settings;
  private final TrunkReceiver receiver;
  private final FabricKeys keys;
  private final Aeron aeron;
  private final Path aeronDirectory;
  private final Bell bell;
  private final TrunkAddress address;
  private final CopyCounter copies = new CopyCounter();
  private final Set<PeerMemory> memories = ConcurrentHashMap.newKeySet();
  private int ownNumber;
  private int generation;

  /**
   * The sending direction of a trunk, for {@link TrunkCable}. {@code bell} is null if the peer has none, {@code hello} if the peer does not
   * require one, {@code memory} if the peer's memory cannot be read.
   */
  public record Line(int peer, ExclusivePublication publication, boolean overUdp, Bell bell, byte[] hello, PeerMemory memory) {}

  private TrunkEndpoint(TrunkSettings settings, Path aeronDirectory, String driverId, TrunkReceiver receiver, FabricKeys keys) {
    this.settings = settings;
    this.keys = keys;
    this.receiver = receiver;
    this.aeron = Aeron.connect(new Aeron.Context()
        .aeronDirectoryName(aeronDirectory.toString())
        .clientName(JvmName.OF_THIS_JVM)
        .driverTimeoutMs(FOREVER_MS)
        .idleSleepDurationNs(CLIENT_SLEEP_NS)
        .resourceLingerDurationNs(IMAGE_LINGER_NS)
        .closeLingerDurationNs(CLOSE_LINGER_NS)
        .errorHandler(TrunkEndpoint::onAeronError));
    // The streams of a killed JVM live on in the driver for a while, so this JVM needs other stream and session ids. Client ids
    // are unique in a driver.
    int clientId = (int) aeron.clientId() & Integer.MAX_VALUE;
    this.generation = clientId * GENERATIONS_APART;
    this.aeronDirectory = aeronDirectory;
    try {
      this.bell = settings.transport() == TrunkSettings.Transport.UDP || !Bell.isSupported() ? null : makeBell(clientId);
      this.address = new TrunkAddress(driverId,
          settings.transport() == TrunkSettings.Transport.UDP ? 0 : listenInSharedMemory(clientId),
          settings.transport() == TrunkSettings.Transport.IPC ? "" : listenOnUdp(),
          settings.pathMtuBytes(), settings.resolveUdpPathMtu(), ProcessHandle.current().pid(), SharedMemory.tableAddress(), SharedMemory.processValue());
      receiver.admitOnly(keys, address.udpAddress());
    } catch (RuntimeException e) {
      aeron.close();
      removeBell(clientId);
      throw e;
    }
  }

  /** Logs a lost media driver in one line: {@code FabricAgent} handles it, and Aeron's stack trace has no further information. */
  private static void onAeronError(Throwable error) {
    if (error instanceof DriverTimeoutException) {
      LOG.warn("the trunks have lost the media driver: {}", error.getMessage());
    } else if (!(error instanceof AgentTerminationException)) { // Follows a lost driver.
      LOG.error("the Aeron client of the trunks failed", error);
    }
  }

  private Bell makeBell(int streamId) {
    try {
      return Bell.make(bellFile(streamId));
    } catch (IOException e) {
      throw new UncheckedIOException("the bell of this JVM could not be made in " + aeronDirectory + ": " + e.getMessage(), e);
    }
  }

  private Path bellFile(int streamId) {
    return aeronDirectory.resolve("weft-bell-" + streamId);
  }

  private Bell bellOf(int streamId) {
    Path file = bellFile(streamId);
    if (!Files.exists(file)) {
      return null;
    }
    try {
      return Bell.of(file);
    } catch (IOException e) {
      LOG.warn("a peer cannot be woken by its bell, so packets to it may wait for a park-rung: {}", e.toString());
      return null;
    }
  }

  private int listenInSharedMemory(int streamId) {
    subscribe(CommonContext.IPC_CHANNEL, streamId);
    return streamId;
  }

  private String listenOnUdp() {
    String channel = new ChannelUriStringBuilder()
        .media(CommonContext.UDP_MEDIA)
        .endpoint(settings.udpHost() + ":" + settings.udpPort())
        .alias("weft-trunk")
        .build();
    return resolve(subscribe(channel, UDP_STREAM));
  }

  /**
   * Connects to the media driver and starts to listen on UDP, if the settings want that.
   *
   * @param driverId {@link dev.weft.fabric.cluster.MediaDriverProcess#driverId()}
   * @param virtualLanes lanes of the switch
   * @throws io.aeron.exceptions.AeronException if the driver does not answer
   */
  public static TrunkEndpoint open(
      TrunkSettings settings, Path aeronDirectory, String driverId, int virtualLanes) {
    return open(settings, aeronDirectory, driverId, virtualLanes, null);
  }

  /**
   * Does the same. Each trunk over UDP must begin with the authentication code that {@code keys} require.
   *
   * @param keys of the fabric; null if it has no secret
   */
  public static TrunkEndpoint open(
      TrunkSettings settings, Path aeronDirectory, String driverId, int virtualLanes, FabricKeys keys) {
    return new TrunkEndpoint(settings, aeronDirectory, driverId, new TrunkReceiver(settings, virtualLanes), keys);
  }

  private Subscription subscribe(String channel, int streamId) {
    long id = aeron.asyncAddSubscription(channel, streamId, receiver::onImage, image -> {});
    return await(() -> aeron.getSubscription(id));
  }

  /** Waits until the driver has made the object that was requested. */
  private static <T> T await(Supplier<T> asked) {
    for (long ms = 0; ms < DRIVER_TIMEOUT_MS; ms++) {
      T got = asked.get();
      if (got != null) {
        return got;
      }
      Pause.of(TimeUnit.MILLISECONDS.toNanos(1));
    }
    throw new DriverTimeoutException("no response from the media driver within " + DRIVER_TIMEOUT_MS + " ms");
  }

  private static String resolve(Subscription subscription) {
    for (int ms = 0; ms < DRIVER_TIMEOUT_MS; ms++) {
      for (String address : subscription.localSocketAddresses()) {
        return address;
      }
      Pause.of(TimeUnit.MILLISECONDS.toNanos(1));
    }
    throw new IllegalStateException("the media driver did not bind " + subscription.channel());
  }

  /**
   * Lets the media driver bind a UDP port until this is closed. This reserves the port for another user of the same driver.
   *
   * @throws ControlPort.TakenException if the driver cannot bind it
   */
  public void reserve(InetAddress host, int port) throws IOException {
    try {
      long id = aeron.asyncAddSubscription("aeron:udp?endpoint=" + host.getHostAddress() + ":" + port, RESERVED_STREAM);
      await(() -> aeron.getSubscription(id));
    } catch (RegistrationException e) {
      throw ControlPort.taken(host, port, e);
    }
  }

  /** Returns the address at which peers reach this JVM. */
  public TrunkAddress address() {
    return address;
  }

  /** Returns the bell on which the hardware thread must sleep ({@code HardwareDispatcher.useBell}); null if bells are not supported. */
  public Bell bell() {
    return bell;
  }

  /** Returns the media driver's own counters by their labels; none if the driver is lost. Any thread; may be slightly out of date. */
  public Map<String, Long> driverCounters() {
    Map<String, Long> counters = new LinkedHashMap<>();
    if (aeron.isClosed()) {
      return counters;
    }
    CountersReader reader = aeron.countersReader();
    reader.forEach((counterId, typeId, keyBuffer, label) -> {
      if (typeId == AeronCounters.DRIVER_SYSTEM_COUNTER_TYPE_ID || typeId == SealCounter.TYPE_ID) {
        counters.put(label, reader.getCounterValue(counterId));
      }
    });
    return counters;
  }

  public TrunkReceiver receiver() {
    return receiver;
  }

  public TrunkSettings settings() {
    return settings;
  }

  /**
   * Sets the number by which peers recognize this JVM's packets. Call it before the first {@link #connect}.
   *
   * @param number assigned by the subnet manager, 1 to 32767, unique in the cluster
   */
  public void setOwnNumber(int number) {
    if (number < 1 || number > TrunkReceiver.PEER_MAX) {
      throw new IllegalArgumentException("number " + number + " must be from 1 to " + TrunkReceiver.PEER_MAX);
    }
    ownNumber = number;
  }

  private boolean sharesMemoryWith(TrunkAddress to) {
    return address.ipcStreamId() != 0 && to.ipcStreamId() != 0 && address.driverId().equals(to.driverId());
  }

  /** Returns the largest payload in bytes of packets on the trunk to a peer: the smaller value of the two JVMs. Any thread. */
  public int pathMtuTo(TrunkAddress to) {
    return sharesMemoryWith(to) ? Math.min(address.pathMtuBytes(), to.pathMtuBytes())
        : Math.min(address.udpPathMtuBytes(), to.udpPathMtuBytes());
  }

  /**
   * Opens the sending direction to a peer.
   *
   * @param peer the peer's number
   * @throws IllegalStateException if the settings of the two JVMs have no transport in common
   */
  public Line connect(int peer, TrunkAddress to) {
    boolean overIpc = sharesMemoryWith(to);
    if (!overIpc && (address.udpAddress().isEmpty() || to.udpAddress().isEmpty())) {
      throw new IllegalStateException("JVM " + peer + " at " + to + " cannot be reached from " + address
          + ": use the same media driver directory or weft.fabric.trunk.transport = auto in both");
    }
    ChannelUriStringBuilder channel = new ChannelUriStringBuilder()
        .media(overIpc ? CommonContext.IPC_MEDIA : CommonContext.UDP_MEDIA)
        .mtu(TrunkFrame.mtuFor(pathMtuTo(to)))
        .termLength(overIpc ? settings.ipcTermLength() : settings.udpTermLength())
        .sessionId(TrunkReceiver.sessionId(ownNumber, ++generation))
        .alias("weft-trunk-" + ownNumber + "-" + peer);
    if (!overIpc) {
      channel.endpoint(to.udpAddress());
    }
    int streamId = overIpc ? to.ipcStreamId() : UDP_STREAM;
    long id = aeron.asyncAddExclusivePublication(channel.build(), streamId);
    ExclusivePublication publication = await(() -> aeron.getExclusivePublication(id));
    return new Line(peer, publication, !overIpc, overIpc ? bellOf(streamId) : null,
        overIpc || keys == null ? null : keys.trunkHello(publication.sessionId(), to.udpAddress()), overIpc ? memoryOf(to) : null);
  }

  private PeerMemory memoryOf(TrunkAddress to) {
    if (settings.oneCopyFromBytes() == 0 || to.processId() == 0) {
      return null;
    }
    PeerMemory memory = PeerMemory.of(to.processId(), to.tableAddress(), to.processValue());
    if (memory == null) {
      LOG.info("the memory of process {} cannot be read from here (Yama's ptrace_scope, another user, a container?), so its long packets are "
          + "copied twice", to.processId());
    } else {
      memories.add(memory);
    }
    return memory;
  }

  /**
   * Lays the cable of a line and attaches its receiving direction to the port. Hardware thread; the caller adds the cable to the
   * pollers.
   *
   * @param port the switch port at this end
   */
  public TrunkCable lay(Line line, ActorRef<HardwareMessage> port, Clock clock) {
    TrunkReceiver.Inbound inbound = receiver.attach(line.peer(), port, line.memory());
    return new TrunkCable(port, inbound, line.publication(), line.bell(), settings, clock, receiver.virtualLanes(), line.overUdp(),
        line.hello(), copies, new HeldPackets(aeron, line.publication(), settings.receiveWindowPackets(),
            settings.oneCopyHeldBytes()));
  }

  /** Ends a cable; the caller may close its line afterwards. Hardware thread. */
  public void unplug(Line line, TrunkCable cable) {
    cable.unplug();
    receiver.detach(line.peer(), cable.inbound());
    if (line.memory() != null) {
      memories.remove(line.memory());
      line.memory().close();
    }
  }

  /** Returns the bytes of payload that all trunks, also unplugged ones, have copied since this JVM started. Any thread; may be slightly out of date. */
  public long bytesCopied() {
    return copies.bytes();
  }

  /** Whether the media driver's process has not ended; it may be paused. Any thread. */
  public boolean isOpen() {
    return !aeron.isClosed();
  }

  /** Closes everything. Before the call, the hardware thread must have stopped delivering received packets. */
  @Override
  public void close() {
    aeron.close();
    memories.forEach(PeerMemory::close);
    removeBell(address.ipcStreamId());
  }

  private void removeBell(int streamId) {
    try {
      Files.deleteIfExists(bellFile(streamId));
    } catch (IOException e) {
      LOG.warn("the bell of this JVM could not be removed: {}", e.toString());
    }
  }
}

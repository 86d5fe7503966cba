package dev.weft.tripwire.ip;

import com.typesafe.config.Config;
import dev.weft.tripwire.connect.HardwareLoop;
import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Predicate;

/** One host's end of IP over CLAN. Any thread. */
public final class ClanIp implements AutoCloseable {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final IpCounters counters = new IpCounters();
  private final IpSettings settings;
  private final ArrayBlockingQueue<PacketBuffer> free;
  private final IpEngine engine;
  private final HardwareLoop loop;
  private TunPump pump;

  /**
   * An end that delivers packets to {@code sink}.
   *
   * @param routes node name of the host, by IPv4 address
   */
  ClanIp(Nic nic, IpSettings settings, Map<Integer, String> routes, Predicate<PacketReceiver.Packet> sink) {
    this.settings = settings;
    free = new ArrayBlockingQueue<>(settings.transmitBuffers());
    MemorySegment memory = Arena.ofAuto().allocate((long) settings.mtuBytes() * settings.transmitBuffers(), 64);
    for (int i = 0; i < settings.transmitBuffers(); i++) {
      free.add(new PacketBuffer(memory.asSlice((long) i * settings.mtuBytes(), settings.mtuBytes())));
    }
    engine = new IpEngine(nic, settings, counters, free::add, sink, this::ring);
    routes.forEach(engine::addRoute);
    loop = HardwareLoop.start(nic, "ip", engine);
    ring();
  }

  /**
   * Carries the packets of a TUN device until it is closed.
   *
   * @param config contains {@code weft.tripwire.ip}
   * @param routes node name of the host, by IPv4 address as an int in network order
   */
  public static ClanIp start(Nic nic, Config config, TunDevice tun, Map<Integer, String> routes) {
    TunPump pump = new TunPump(tun);
    ClanIp ip = new ClanIp(nic, IpSettings.from(config), routes, pump::deliver);
    pump.start(ip);
    ip.pump = pump;
    return ip;
  }

  private void ring() {
    if (loop != null) {
      loop.ring();
    }
  }

  IpSettings settings() {
    return settings;
  }

  /** Free buffers for packets to send. */
  ArrayBlockingQueue<PacketBuffer> free() {
    return free;
  }

  /** Sends a packet of {@link #free}, which returns there. There is always room, because there are no more buffers than places. */
  void send(PacketBuffer packet) {
    if (!engine.outbound.offer(packet)) {
      throw new IllegalStateException("more packets than buffers");
    }
    ring();
  }

  /** Returns a received packet that is no longer needed. */
  void release(PacketReceiver.Packet packet) {
    if (!engine.returned.offer(packet)) {
      throw new IllegalStateException("a packet was given back twice");
    }
    ring();
  }

  void notDelivered() {
    counters.received.decrementAndGet();
    counters.notDelivered.incrementAndGet();
  }

  public IpCounters.Snapshot counters() {
    return counters.snapshot();
  }

  /** Ends all links. */
  @Override
  public void close() {
    if (pump != null) {
      pump.close(this);
    }
    loop.close(engine::close);
  }
}

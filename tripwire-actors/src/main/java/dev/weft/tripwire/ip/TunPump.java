package dev.weft.tripwire.ip;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The two threads that wait for the kernel: one reads packets from a TUN device, one writes them to it. */
final class TunPump {
  private static final Logger LOG = LoggerFactory.getLogger(TunPump.class);
  /** How soon a thread notices that it must end. */
  private static final int LOOK_MS = 100;
  private static final int DELIVERIES_MAX = 4096;
  private static final long END_MAX_MS = 10_000;

  private final TunDevice tun;
  private final ArrayBlockingQueue<PacketReceiver.Packet> deliveries = new ArrayBlockingQueue<>(DELIVERIES_MAX);
  private volatile boolean ended;
  private Thread reader;
  private Thread writer;

  TunPump(TunDevice tun) {
    this.tun = tun;
  }

  void start(ClanIp ip) {
    reader = Thread.ofPlatform().daemon(true).name("ip-read-" + tun.name()).start(() -> read(ip));
    writer = Thread.ofPlatform().daemon(true).name("ip-write-" + tun.name()).start(() -> write(ip));
  }

  /** Passes a packet to the kernel; returns false if there is no room. */
  boolean deliver(PacketReceiver.Packet packet) {
    return deliveries.offer(packet);
  }

  private void read(ClanIp ip) {
    PacketBuffer buffer = null;
    try {
      while (!ended) {
        buffer = buffer != null ? buffer : ip.free().poll(LOOK_MS, TimeUnit.MILLISECONDS);
        if (buffer == null) {
          continue; // The kernel's queue fills, and drops packets.
        }
        int length = tun.read(buffer.memory(), LOOK_MS);
        if (length > 0) {
          buffer.setLength(length);
          ip.send(buffer);
          buffer = null;
        }
      }
    } catch (IOException e) {
      LOG.error("IP over CLAN has ended: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(ClanIp ip) {
    try {
      while (!ended) {
        PacketReceiver.Packet packet = deliveries.poll(LOOK_MS, TimeUnit.MILLISECONDS);
        if (packet != null) {
          if (!tun.write(packet.bytes())) {
            ip.notDelivered();
          }
          ip.release(packet);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends both threads; the device stays. */
  void close(ClanIp ip) {
    ended = true;
    try {
      reader.join(END_MAX_MS);
      writer.join(END_MAX_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    deliveries.forEach(ip::release);
  }
}

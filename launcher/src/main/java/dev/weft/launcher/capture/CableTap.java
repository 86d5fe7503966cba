package dev.weft.launcher.capture;

import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.capture.CaptureSettings;
import dev.weft.fabric.capture.CaptureTap;
import dev.weft.fabric.capture.PacketSink;
import dev.weft.fabric.capture.PcapngWriter;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.node.NodeLink;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes the packets of cables to a file where they leave an HCA, so that the file has each packet once. Packets come on the hardware
 * thread; another thread, also a shutdown hook, may call {@link #close}.
 */
final class CableTap implements NodeLink, PacketSink, AutoCloseable {
  private final PcapngWriter writer;
  private boolean closed;

  CableTap(Path file, Config config) throws IOException {
    writer = PcapngWriter.create(file, CaptureSettings.from(config), RealClock.epochNs());
  }

  @Override
  public Ends lay(ActorRef<HardwareMessage> hca, ActorRef<HardwareMessage> port) {
    Ends ends = NodeLink.DIRECT.lay(hca, port);
    return new Ends(new CaptureTap(ends.fromHca(), RealClock.ofMachine(), this), ends.fromPort());
  }

  @Override
  public synchronized void onPacket(long nowNs, Packet packet) {
    if (!closed) {
      writer.onPacket(nowNs, packet);
    }
  }

  synchronized long writtenCount() {
    return writer.writtenCount();
  }

  synchronized long refusedCount() {
    return writer.refusedCount();
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      writer.close();
    }
  }
}

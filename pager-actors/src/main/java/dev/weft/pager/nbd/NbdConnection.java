package dev.weft.pager.nbd;

import dev.weft.fabric.time.Clock;
import dev.weft.pager.BlockDevice;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection of one client, from the greeting to the end; runs on its own thread. */
final class NbdConnection implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(NbdConnection.class);

  private final ClientSocket socket;
  private final ReplyWriter writer;
  private final NbdSettings settings;
  private final NbdTls tls;
  private final Map<String, NbdExport> exports;
  private final Clock clock;
  private final BooleanSupplier stopping;
  private final Consumer<NbdConnection> onEnd;

  NbdConnection(SocketChannel channel, NbdSettings settings, NbdTls tls, Map<String, NbdExport> exports, Clock clock,
      BooleanSupplier stopping, Consumer<NbdConnection> onEnd) throws IOException {
    this.socket = new ClientSocket(channel, clock);
    try {
      this.writer = new ReplyWriter(socket, settings.inFlightMax());
    } catch (RuntimeException | Error e) {
      socket.close();
      throw e;
    }
    this.settings = settings;
    this.tls = tls;
    this.exports = exports;
    this.clock = clock;
    this.stopping = stopping;
    this.onEnd = onEnd;
  }

  @Override
  public void run() {
    try {
      NbdHandshake.Choice choice =
          new NbdHandshake(socket, settings, tls, exports, stopping, clock.nowNs() + settings.handshakeTimeoutNs()).negotiate();
      if (choice != null) {
        transmit(choice);
      }
    } catch (IOException e) {
      LOG.debug("NBD connection ended: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("NBD connection failed", e);
    } finally {
      close();
    }
  }

  private void transmit(NbdHandshake.Choice choice) throws IOException {
    try (BlockDevice.Share share = choice.export().device().share()) {
      if (share == null) {
        LOG.warn("closed an NBD connection to export '{}': other connections use all shares of its buffers;"
            + " raise weft.pager.client.shares", choice.export().name());
        return;
      }
      new Transmission(socket, writer, settings, clock, choice, share, stopping).run();
    }
  }

  /** Releases the socket and the connection's place. Called once: by the thread, or by the server if the thread could not start. */
  void close() {
    try {
      socket.close();
    } catch (IOException | RuntimeException e) {
      LOG.debug("closing an NBD connection: {}", e.getMessage());
    } finally {
      onEnd.accept(this);
    }
  }

  /** Reports that the server stops: the connection ends when its requests are finished. Any thread. */
  void stopping() {
    socket.endHandshake();
  }

  /** Ends the connection without further replies, as soon as the device has finished the requests in flight. Any thread. */
  void abort() {
    writer.breakOff();
    socket.wakeup();
  }
}

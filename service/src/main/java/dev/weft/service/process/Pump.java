package dev.weft.service.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a command's input to the fabric on a separate thread. Reading a pipe or a terminal may block for ever, but the command must end when the answer
 * arrives.
 */
final class Pump {
  private static final Logger LOG = LoggerFactory.getLogger(Pump.class);
  private static final int BYTES = 1 << 20;

  private final ReadableByteChannel source;
  private final SocketChannel channel;
  private volatile IOException failure;

  private Pump(ReadableByteChannel source, SocketChannel channel) {
    this.source = source;
    this.channel = channel;
  }

  static Pump start(ReadableByteChannel source, SocketChannel channel) {
    Pump pump = new Pump(source, channel);
    Thread.ofPlatform().daemon().name("weft-pump").start(pump::run);
    return pump;
  }

  /** The error that ended reading the source; null if there was none. */
  IOException failure() {
    return failure;
  }

  private void run() {
    Pieces.Sender sender = new Pieces.Sender(channel);
    ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
    try {
      while (read(bytes)) {
        sender.write(bytes.flip());
      }
      if (failure == null) {
        sender.end();
      } else {
        channel.close(); // Without an end mark, so the receiver knows that data is missing.
      }
    } catch (IOException ended) {
      LOG.debug("the answer came before everything was sent: {}", ended.getMessage());
    }
  }

  private boolean read(ByteBuffer bytes) {
    try {
      return source.read(bytes.clear()) > 0;
    } catch (IOException unreadable) {
      failure = unreadable;
      return false;
    }
  }
}

package dev.weft.pvfs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.TestProbe;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.verbs.WcStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channels on the thread of the test, to sockets that it reads, or does not. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class TcpChannelTest {
  private static final int MESSAGE_BYTES = 65_536;

  private final LocalFabric fabric = LocalFabric.start(TcpFileSystem.OF_CLIENTS);
  private final TcpSelector selector = new TcpSelector(5_000_000_000L);
  private final List<MessageChannel> failed = new ArrayList<>();
  private final TcpEndpoint endpoint = new TcpEndpoint(selector, MESSAGE_BYTES, new Failures(),
      TestProbe.create(String.class, fabric.system()).getRef(), "look");

  private final class Failures implements MessageHandler {
    @Override
    public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {}

    @Override
    public void onCompleted(MessageChannel channel, long token, WcStatus status) {}

    @Override
    public void onSendRoom(MessageChannel channel) {}

    @Override
    public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
      failed.add(channel);
    }
  }

  @AfterEach
  void close() {
    endpoint.close();
    selector.close();
    fabric.close();
  }

  private TcpChannel connect(ServerSocketChannel server) throws IOException {
    TcpChannel channel = endpoint.open();
    assertNull(channel.buffers(), "it has memory before there is anybody to talk to");
    channel.bind(SocketChannel.open(server.getLocalAddress()));
    return channel;
  }

  /** Until it and the kernel take no more; the bytes. */
  private static long fill(TcpChannel channel) {
    long bytes = 0;
    for (int slot = channel.reserve(); slot != MessageChannel.NO_BUFFER; slot = channel.reserve()) {
      channel.send(slot, MESSAGE_BYTES, false);
      bytes += TcpFrames.LENGTH_BYTES + MESSAGE_BYTES;
    }
    return bytes;
  }

  private static long readAll(SocketChannel from, ByteBuffer some) {
    try {
      long bytes = 0;
      for (int read = from.read(some.clear()); read > 0; read = from.read(some.clear())) {
        bytes += read;
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void serviceUntil(BooleanSupplier until) throws InterruptedException {
    while (!until.getAsBoolean()) {
      endpoint.service(16);
      Thread.sleep(1);
    }
  }

  @Test
  void shouldFailWhenTheOtherSideTakesNothing() throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      TcpChannel toReader = connect(server);
      SocketChannel reader = server.accept();
      TcpChannel toDeaf = connect(server);
      SocketChannel deaf = server.accept();
      try (reader; deaf) {
        long sent = fill(toReader);
        fill(toDeaf);
        reader.configureBlocking(false);
        ByteBuffer some = ByteBuffer.allocateDirect(MESSAGE_BYTES);
        long[] read = {0};
        serviceUntil(() -> {
          read[0] += readAll(reader, some);
          return read[0] == sent;
        });
        serviceUntil(() -> !failed.isEmpty());
        assertEquals(List.of(toDeaf), failed);
        assertTrue(toReader.isOpen());
      }
    }
  }
}

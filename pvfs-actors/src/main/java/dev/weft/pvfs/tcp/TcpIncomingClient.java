package dev.weft.pvfs.tcp;

import dev.weft.hca.link.IncomingClient;
import dev.weft.hca.messaging.MessageChannel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.SocketChannel;

/** A TCP client that asks to be accepted. */
record TcpIncomingClient(TcpAcceptor acceptor, SocketChannel socket, String peer, byte[] hello) implements IncomingClient {
  @Override
  public int dataBytes() {
    return TcpFrames.DATA_BYTES;
  }

  @Override
  public MessageChannel open() {
    return acceptor.endpoint.open();
  }

  @Override
  public void accept(MessageChannel channel, byte[] ours, Object context) {
    acceptor.answered(socket);
    try {
      ((TcpChannel) channel).bind(socket);
    } catch (IOException lost) {
      TcpListener.close(socket);
      ((TcpChannel) channel).lose();
      return;
    }
    int slot = channel.reserve();
    long at = channel.offset(slot);
    channel.buffers().set(ValueLayout.JAVA_BYTE, at, TcpFrames.TAKEN);
    MemorySegment.copy(ours, 0, channel.buffers(), ValueLayout.JAVA_BYTE, at + 1, ours.length);
    channel.send(slot, 1 + ours.length, true);
  }

  @Override
  public void reject(byte[] why) {
    acceptor.answered(socket);
    Thread.ofVirtual().start(() -> TcpListener.refuse(socket, TcpFrames.REFUSED, why));
  }
}

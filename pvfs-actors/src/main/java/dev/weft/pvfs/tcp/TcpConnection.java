package dev.weft.pvfs.tcp;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.verbs.QueuePair;

/** The connection in an event: without a queue pair. */
record TcpConnection(TcpChannel channel, String peerNode, byte[] privateData) implements Connection {
  @Override
  public QueuePair qp() {
    throw new UnsupportedOperationException("TCP has no queue pairs");
  }

  @Override
  public int peerLid() {
    return 0;
  }

  @Override
  public int peerQpNum() {
    return 0;
  }

  @Override
  public void disconnect() {
    channel.disconnect();
  }
}

package dev.weft.hca.cm;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls consumers of the connection manager, so that an exception of one consumer does not affect the node's other connections. */
final class Guarded {
  private static final Logger LOG = LoggerFactory.getLogger(CmActor.class);

  private Guarded() {}

  /** Runs the call; returns false if it threw. */
  static boolean call(Runnable consumer) {
    try {
      consumer.run();
      return true;
    } catch (RuntimeException e) {
      LOG.error("a listener or observer that the program gave to the connection manager failed", e);
      return false;
    }
  }

  static DatagramObserver observer(DatagramObserver consumer) {
    return new DatagramObserver() {
      @Override
      public void onResolved(DatagramAddress address) {
        call(() -> consumer.onResolved(address));
      }

      @Override
      public void onRejected(RejectReason reason) {
        call(() -> consumer.onRejected(reason));
      }
    };
  }

  static ConnectionObserver observer(ConnectionObserver consumer) {
    return new ConnectionObserver() {
      @Override
      public void onEstablished(Connection connection, byte[] privateData) {
        call(() -> consumer.onEstablished(connection, privateData));
      }

      @Override
      public void onRejected(RejectReason reason, byte[] privateData) {
        call(() -> consumer.onRejected(reason, privateData));
      }

      @Override
      public void onDisconnected(Connection connection, boolean nodeLost) {
        call(() -> consumer.onDisconnected(connection, nodeLost));
      }
    };
  }
}

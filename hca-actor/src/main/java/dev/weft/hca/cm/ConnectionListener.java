package dev.weft.hca.cm;

/** Told of each connection request to a service. Called on the hardware thread: must not block; usually tells an actor. */
@FunctionalInterface
public interface ConnectionListener {
  void onConnectRequest(ConnectionRequest request);
}

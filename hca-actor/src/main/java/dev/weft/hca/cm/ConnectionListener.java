package dev.weft.hca.cm;

/** Handles each connection request to a service. Called on the hardware thread; must not block; usually sends a message to an actor. */
@FunctionalInterface
public interface ConnectionListener {
  void onConnectRequest(ConnectionRequest request);
}

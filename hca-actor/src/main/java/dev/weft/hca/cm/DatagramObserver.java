package dev.weft.hca.cm;

/** Receives, once, the result of a look-up. Called on the hardware thread; must not block; usually sends a message to an actor. */
public interface DatagramObserver {
  void onResolved(DatagramAddress address);

  void onRejected(RejectReason reason);
}

package dev.weft.hca.cm;

/** Told, once, what became of a look-up. Called on the hardware thread: must not block; usually tells an actor. */
public interface DatagramObserver {
  void onResolved(DatagramAddress address);

  void onRejected(RejectReason reason);
}

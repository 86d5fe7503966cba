package dev.weft.hca.cm;

/** Ignores all events; replaces the observer of an actor that has ended. */
enum NoObserver implements ConnectionObserver {
  INSTANCE;

  @Override
  public void onEstablished(Connection connection, byte[] privateData) {}

  @Override
  public void onRejected(RejectReason reason, byte[] privateData) {}

  @Override
  public void onDisconnected(Connection connection, boolean nodeLost) {}
}

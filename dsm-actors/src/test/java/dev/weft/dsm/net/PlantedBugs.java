package dev.weft.dsm.net;

/** Bugs to be planted in the connections of a node; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code post} in {@code Peers.write}: no data goes with the message. */
  static void forgetData(Peers peers, int node, Peer.Outgoing outgoing) {}
}

package dev.weft.dsm.node;

/** Where a bug can be planted in a model; without one, all is as it should be. */
class Plant {
  static final Plant NONE = new Plant();

  /** Something is put into the channel from {@code from} to {@code to}. */
  void post(ProtocolModel model, int from, int to, ProtocolModel.Item item) {
    model.channel(from, to).add(item);
  }

  /** Rights are taken; whether that is over. */
  boolean tryRevoke(ProtocolModel model, int node, int minipage, byte rights) {
    return model.tryRevoke(node, minipage, rights);
  }

  /** Something is taken out of a channel. */
  void deliver(ProtocolModel model, int from, int to, ProtocolModel.Item item) {
    model.deliver(from, to, item);
  }

  /** Whether a thread that is woken looks whether the node has the rights still. */
  boolean looksAgain() {
    return true;
  }

  /** Whether a message of a node that does not know yet of a loss counts, though homes move with it. */
  boolean heedsTheUnaware() {
    return false;
  }

  /** Whether data of such a node shows where a home is, though that was before the loss. */
  boolean learnsFromTheUnaware() {
    return false;
  }

  /** Appends what it remembers. */
  void append(StringBuilder to) {}
}

package dev.weft.fabric.seal;

import javax.crypto.SecretKey;

/** A sender that has greeted this process: its keys and the numbers of its datagrams. One thread. */
final class Known {
  /** How many generations of keys a sender may be ahead. */
  private static final int AHEAD_MAX = 16;

  final long sender;
  final ReplayWindow window = new ReplayWindow();
  private final SealKey root;
  private final long epoch;
  private int generation;
  private SecretKey key;
  private SecretKey previous;

  Known(SealKey root, long sender, long epoch) {
    this.root = root;
    this.sender = sender;
    this.epoch = epoch;
    this.key = root.data(sender, epoch, 0);
  }

  /** Returns the key of a generation; null if it is too old or too new. */
  SecretKey key(int wanted) {
    if (wanted == generation) {
      return key;
    }
    if (wanted == generation - 1) {
      return previous;
    }
    return wanted > generation && wanted <= generation + AHEAD_MAX ? root.data(sender, epoch, wanted) : null;
  }

  /** Goes on to a generation, after a datagram has proved that the sender uses its key. */
  void advance(int proved, SecretKey proving) {
    if (proved > generation) {
      previous = proved == generation + 1 ? key : null;
      generation = proved;
      key = proving;
    }
  }
}

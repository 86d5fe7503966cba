package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;

/**
 * The place in flight, buffer and part that a connection's thread holds until the device accepts the part. If a call fails before that, no
 * completion would give them back, so {@link #release} does. Used by that thread alone.
 */
final class HeldResources {
  private final ReplyWriter writer;
  private boolean place;
  private BlockDevice.Buffer buffer;
  private Part part;

  HeldResources(ReplyWriter writer) {
    this.writer = writer;
  }

  /** Takes a place in flight. */
  void begin() {
    writer.begin();
    place = true;
  }

  void hold(BlockDevice.Buffer borrowed) {
    buffer = borrowed;
  }

  /** The part answers for place and buffer from here on; until {@link #submitted}, this answers for the part. */
  <P extends Part> P take(P made) {
    part = made;
    place = false;
    buffer = null;
    return made;
  }

  /** The device has accepted the part and will complete it. */
  void submitted() {
    part = null;
  }

  /** Gives everything back. */
  void release() {
    Part abandoned = part;
    part = null;
    if (abandoned != null) {
      abandoned.abandon();
    }
    if (place) {
      place = false;
      writer.cancel();
    }
    BlockDevice.Buffer held = buffer;
    buffer = null;
    if (held != null) {
      held.release();
    }
  }
}

package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;

/**
 * What a connection's thread holds between taking a place in flight and the device's acceptance of a part: no completion would
 * give it back, should a call in between fail. Used by that thread alone.
 */
final class Custody {
  private final ReplyWriter writer;
  private boolean place;
  private BlockDevice.Buffer buffer;
  private Part part;

  Custody(ReplyWriter writer) {
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

package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;

/**
 * The in-flight place, the buffer and the part that a connection's thread holds until the device accepts the part. If a call fails before that, no
 * completion frees them, so {@link #release} does. Used by that thread only.
 */
final class HeldResources {
  private final ReplyWriter writer;
  private boolean place;
  private BlockDevice.Buffer buffer;
  private Part part;

  HeldResources(ReplyWriter writer) {
    this.writer = writer;
  }

  /** Takes an in-flight place. */
  void begin() {
    writer.begin();
    place = true;
  }

  void hold(BlockDevice.Buffer borrowed) {
    buffer = borrowed;
  }

  /** Passes the place and the buffer to a part. Until {@link #submitted}, this object is responsible for the part. */
  <P extends Part> P take(P made) {
    part = made;
    place = false;
    buffer = null;
    return made;
  }

  /** Reports that the device has accepted the part and will complete it. */
  void submitted() {
    part = null;
  }

  /** Releases everything that is held. */
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

package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One device request on behalf of a client request. Its completion makes it a reply. */
class Part implements BlockDevice.Completion {
  /** What the reply to a successful part carries. */
  enum Kind { STATUS, DATA, HOLE, EXTENTS, STREAM }

  final Request request;
  final Kind kind;
  final long offset;
  final long length;
  private final ReplyWriter writer;
  private static final Logger LOG = LoggerFactory.getLogger(Part.class);
  private final AtomicBoolean over = new AtomicBoolean();
  private BlockDevice flushAfter;
  /** Held until the reply is written if the kind is DATA, else until the device is done. */
  BlockDevice.Buffer buffer;
  int errno;

  Part(ReplyWriter writer, Request request, Kind kind, long offset, long length, BlockDevice.Buffer buffer) {
    this.writer = writer;
    this.request = request;
    this.kind = kind;
    this.offset = offset;
    this.length = length;
    this.buffer = buffer;
  }

  /** Lets a success count only after the device was flushed: how requests without a FUA form of their own get one. */
  void flushAfterwards(BlockDevice device) {
    flushAfter = device.isSafeWhenComplete() ? null : device;
  }

  @Override
  public void done(int outcome) {
    BlockDevice device = flushAfter;
    if (device != null && outcome == Errno.OK) {
      flushAfter = null;
      try {
        device.flush(this);
        return;
      } catch (RuntimeException | Error e) {
        // Nobody above could end this part: this may be the device's own thread.
        LOG.error("the device threw in flush", e);
        outcome = Errno.EIO;
      }
    }
    if (!ends()) {
      return;
    }
    errno = outcome == Errno.OK || Errno.isDeclared(outcome) ? outcome : Errno.EIO;
    if (kind != Kind.DATA || errno != Errno.OK) {
      release();
    }
    writer.completed(this);
  }

  /** Whether the caller is the one to end this part: a device that failed in a submit may still complete it. */
  final boolean ends() {
    return over.compareAndSet(false, true);
  }

  /** The submit failed: gives back buffer and place, unless the part completed all the same. */
  void abandon() {
    if (ends()) {
      release();
      writer.cancel();
    }
  }

  void release() {
    BlockDevice.Buffer held = buffer;
    if (held != null) {
      buffer = null;
      held.release();
    }
  }
}

package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One device request for a client request. Its completion turns it into a reply, or a part of one. */
class Part implements BlockDevice.Completion {
  /** The content of the reply to a successful part. */
  enum Kind { STATUS, DATA, HOLE, EXTENTS, STREAM }

  final Request request;
  final Kind kind;
  final long offset;
  final long length;
  private final ReplyWriter writer;
  private static final Logger LOG = LoggerFactory.getLogger(Part.class);
  private final AtomicBoolean over = new AtomicBoolean();
  private BlockDevice flushAfter;
  /** The buffer; held until the reply is written if the kind is DATA, otherwise until the device is done. */
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

  /** Flushes the device before the part succeeds; this implements FUA for requests for which the device has no FUA. */
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
        // End the part here: this may be the device's own thread, on which no caller would.
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

  /** Returns true for the first caller, which then ends the part. A device whose submit has failed may still complete the part. */
  final boolean ends() {
    return over.compareAndSet(false, true);
  }

  /** Releases the buffer and the place after a failed submit, unless the part has completed in spite of the failure. */
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

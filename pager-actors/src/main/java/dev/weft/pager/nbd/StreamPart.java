package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import java.util.concurrent.atomic.AtomicInteger;

/** A piece of a read whose reply must not be split. The owner queues the pieces in order when all pieces of a window are done. */
final class StreamPart extends Part {
  private final AtomicInteger outstanding;
  private final ReplyWriter writer;

  StreamPart(ReplyWriter writer, Request request, long offset, BlockDevice.Buffer buffer, AtomicInteger outstanding) {
    super(writer, request, Kind.STREAM, offset, buffer.segment().byteSize(), buffer);
    this.writer = writer;
    this.outstanding = outstanding;
  }

  @Override
  public void done(int outcome) {
    if (!ends()) {
      return;
    }
    errno = outcome == Errno.OK || Errno.isDeclared(outcome) ? outcome : Errno.EIO;
    outstanding.getAndDecrement();
    writer.wakeOwner();
  }

  @Override
  void abandon() {
    if (ends()) {
      outstanding.getAndDecrement();
    }
    // Completed or not, the part never reached the window, so no other code releases these.
    writer.cancel();
    release();
  }
}

package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A block status request: collects extents, merges adjacent extents of the same kind, and stops at the limit. */
final class ExtentsPart extends Part implements BlockDevice.ExtentSink {
  private final int extentsMax;
  private long[] lengths = new long[16];
  private int[] states = new int[16];
  private int count;

  ExtentsPart(ReplyWriter writer, Request request, int extentsMax) {
    super(writer, request, Kind.EXTENTS, request.offset, request.length, null);
    this.extentsMax = request.has(Nbd.CMD_FLAG_REQ_ONE) ? 1 : extentsMax;
  }

  @Override
  public boolean extent(long offset, long extentLength, boolean allocated, boolean zero) {
    int state = (allocated ? 0 : Nbd.STATE_HOLE) | (zero ? Nbd.STATE_ZERO : 0);
    if (count > 0 && states[count - 1] == state) {
      lengths[count - 1] += extentLength;
      return true;
    }
    if (count == extentsMax) {
      return false;
    }
    if (count == lengths.length) {
      lengths = Arrays.copyOf(lengths, count * 2);
      states = Arrays.copyOf(states, count * 2);
    }
    lengths[count] = extentLength;
    states[count++] = state;
    return true;
  }

  @Override
  public void done(int outcome) {
    super.done(outcome == Errno.OK && count == 0 ? Errno.EIO : outcome);
  }

  /** Encodes the context id and the descriptors. */
  ByteBuffer encode(int contextId) {
    ByteBuffer out = ByteBuffer.allocateDirect(4 + 8 * count).putInt(contextId);
    for (int i = 0; i < count; i++) {
      out.putInt((int) lengths[i]).putInt(states[i]);
    }
    return out.flip();
  }
}

package dev.weft.pager.client;

import dev.weft.hca.verbs.AccessObserver;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WriteWatches;
import java.util.ArrayList;
import java.util.List;

/** Tells of writes as a CLAN NIC would, which this module does not know: once for each arming, after the write. */
final class ObservedWrites implements WriteWatches, AccessObserver {
  private final class Range implements WriteWatch {
    private final long start;
    private final long end;
    private final Runnable written;
    private boolean armed;

    Range(long start, long end, Runnable written) {
      this.start = start;
      this.end = end;
      this.written = written;
    }

    @Override
    public void arm() {
      armed = true;
    }

    @Override
    public void close() {
      ranges.remove(this);
    }
  }

  private final Hca hca;
  private final List<Range> ranges = new ArrayList<>();

  ObservedWrites(Hca hca) {
    this.hca = hca;
    hca.observeAccesses(this);
    hca.offerWriteWatches(this);
  }

  @Override
  public WriteWatch watch(MemoryRegion region, long offset, long length, Runnable written) {
    long start = region.segment().address() + offset;
    Range range = new Range(start, start + length, written);
    ranges.add(range);
    return range;
  }

  @Override
  public void written(long nativeAddress, long length, boolean more) {
    for (Range range : List.copyOf(ranges)) {
      if (!more && range.armed && nativeAddress < range.end && nativeAddress + length > range.start) {
        range.armed = false;
        hca.contexts().run(ReceiveContext.ISR, range.written);
      }
    }
  }

  @Override
  public void before() {}

  @Override
  public void read(long nativeAddress, long length, boolean more) {}

  @Override
  public void executedAtomic(long nativeAddress, boolean written) {}

  @Override
  public void gaveUp() {}
}

package dev.weft.lab.sim.pager;

import dev.weft.pager.BlockDevice;

/** Checks a block status: extents must be adjacent and cover the range; extents reported as zero count as reads of zeros. */
final class ExtentCheck implements BlockDevice.ExtentSink {
  private final DeviceHistory.Op op;
  private final DeviceHistory history;
  private final ClusterRun run;
  private long next;

  ExtentCheck(DeviceHistory.Op op, DeviceHistory history, ClusterRun run) {
    this.op = op;
    this.history = history;
    this.run = run;
    this.next = op.offset;
  }

  @Override
  public boolean extent(long offset, long length, boolean allocated, boolean zero) {
    if (offset != next || length < 1 || offset + length > op.offset + op.length) {
      run.violations().add(op + " reports an extent " + offset + "+" + length + " where one from " + next + " is due");
    }
    next = offset + length;
    if (zero) {
      int first = (int) ((offset + Sectors.BYTES - 1) / Sectors.BYTES);
      for (int sector = first; (sector + 1L) * Sectors.BYTES <= next; sector++) {
        history.observed(op, sector, 0, run.nowNs());
      }
    }
    return true;
  }

  /** The request has succeeded. */
  void finish() {
    if (next != op.offset + op.length) {
      run.violations().add(op + " succeeded, but reports extents only up to " + next);
    }
  }
}

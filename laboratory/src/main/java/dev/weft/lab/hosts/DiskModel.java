package dev.weft.lab.hosts;

import dev.weft.fabric.host.DiskCosts;
import java.util.List;

/**
 * A disk with one head: seek by distance, half a turn, media rate. The queue is served in one direction of offsets and begins
 * anew at the lowest (the kernel's elevator); adjacent requests of one kind are merged. A request that begins where the one
 * before ended needs neither seek nor turn.
 */
public final class DiskModel implements DeviceModel {
  private static final int MERGED_BYTES_MAX = 128 << 10;
  private static final long GB = 1_000_000_000L;
  /** The mean distance between two random places is a third of the disk. */
  private static final double MEAN_DISTANCE = 1.0 / 3;

  private final SwapProfile profile;
  private final int scale;
  private long head;

  /** @param scale by how much the area is smaller than the real one, so that seeks go as far as they would */
  public DiskModel(SwapProfile profile, int scale) {
    this.profile = profile;
    this.scale = scale;
  }

  @Override
  public int next(List<Io> waiting) {
    int ahead = -1;
    int lowest = 0;
    for (int i = 0; i < waiting.size(); i++) {
      long offset = waiting.get(i).offset();
      if (offset >= head && (ahead < 0 || offset < waiting.get(ahead).offset())) {
        ahead = i;
      }
      if (offset < waiting.get(lowest).offset()) {
        lowest = i;
      }
    }
    return ahead >= 0 ? ahead : lowest;
  }

  @Override
  public boolean merges(Io first, Io second) {
    return first.isWrite() == second.isWrite() && first.end() == second.offset()
        && first.length() + second.length() <= MERGED_BYTES_MAX;
  }

  @Override
  public long serviceNs(Io io, long nowNs) {
    long positionNs = io.offset() == head ? 0 : seekNs(Math.abs(io.offset() - head) * scale) + halfTurnNs();
    head = io.end();
    DiskCosts costs = profile.hardware().disk();
    return positionNs + (io.isWrite() ? costs.writeNs(io.length()) : costs.readNs(io.length()));
  }

  /** Track to track for the nearest, growing with the root of the distance, and the data sheet's mean at the mean distance. */
  long seekNs(long distanceBytes) {
    double least = profile.value("disk.track-seek");
    double mean = profile.hardware().disk().seekNs() / 1e6;
    double share = distanceBytes / (profile.value("disk.capacity") * GB * MEAN_DISTANCE);
    return Math.round((least + (mean - least) * Math.sqrt(share)) * 1e6);
  }

  private long halfTurnNs() {
    return profile.hardware().disk().rotationNs() / 2;
  }
}

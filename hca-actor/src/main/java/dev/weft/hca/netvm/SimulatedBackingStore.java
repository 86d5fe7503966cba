package dev.weft.hca.netvm;

import dev.weft.fabric.host.DiskCosts;
import dev.weft.fabric.time.VirtualSystem;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Stores pages on a disk in virtual time. Requests run one after another; each costs a mean seek, half a rotation and the transfer. */
public final class SimulatedBackingStore implements BackingStore {
  /** The cost of a page of zeros, which needs no disk. Not 0, because otherwise pages that evict each other would stop virtual time. */
  private static final long ZEROING_NS = 500;

  private final VirtualSystem system;
  private final DiskCosts disk;
  private final Map<Long, byte[]> pages = new HashMap<>();
  private long freeNs;

  public SimulatedBackingStore(VirtualSystem system, DiskCosts disk) {
    this.system = system;
    this.disk = disk;
  }

  /** Reads a page. A page that was never written contains zeros and costs no disk access. */
  @Override
  public void read(long page, MemorySegment frame, Done done) {
    byte[] bytes = pages.get(page);
    if (bytes == null) {
      in(ZEROING_NS, () -> {
        frame.fill((byte) 0);
        done.done(null);
      });
    } else {
      after(accessNs(frame.byteSize(), disk.readBytesPerSecond()), () -> {
        MemorySegment.copy(bytes, 0, frame, ValueLayout.JAVA_BYTE, 0, bytes.length);
        done.done(null);
      });
    }
  }

  @Override
  public void write(long page, MemorySegment frame, Done done) {
    after(accessNs(frame.byteSize(), disk.writeBytesPerSecond()), () -> {
      pages.put(page, frame.toArray(ValueLayout.JAVA_BYTE));
      done.done(null);
    });
  }

  private long accessNs(long bytes, long bytesPerSecond) {
    return disk.seekNs() + disk.rotationNs() / 2 + Math.ceilDiv(bytes * 1_000_000_000L, bytesPerSecond);
  }

  private void after(long ns, Runnable end) {
    freeNs = Math.max(freeNs, system.nowNs()) + ns;
    in(freeNs - system.nowNs(), end);
  }

  private void in(long waitNs, Runnable end) {
    system.system().scheduler().scheduleOnce(Duration.ofNanos(waitNs), end, system.system().executionContext());
  }

  @Override
  public void discard(long page) {
    pages.remove(page);
  }

  @Override
  public void close() {
    pages.clear();
  }
}

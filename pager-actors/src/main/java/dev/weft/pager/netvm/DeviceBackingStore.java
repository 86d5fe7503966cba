package dev.weft.pager.netvm;

import dev.weft.hca.netvm.BackingStore;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Stores pages on a block device, such as the pager's, so that other nodes' memory backs the virtual memory of a host. Any thread may send requests; the
 * number of the host's frames limits the requests that wait for a buffer of the device. This class does not close the device.
 */
public final class DeviceBackingStore implements BackingStore {
  private final BlockDevice device;
  private final int pageBytes;
  /** The location of each page on the device, in pages; guarded by this object, like the two fields below. */
  private final Map<Long, Long> places = new HashMap<>();
  private final ArrayDeque<Long> freePlaces = new ArrayDeque<>();
  private long nextPlace;

  /**
   * Creates an empty store.
   *
   * @throws IllegalArgumentException if a page is longer than the longest request of the device
   */
  public DeviceBackingStore(BlockDevice device, int pageBytes) {
    if (device.maxRequestBytes() < pageBytes) {
      throw new IllegalArgumentException(
          "a page has " + pageBytes + " bytes, the device takes requests of up to " + device.maxRequestBytes());
    }
    this.device = device;
    this.pageBytes = pageBytes;
  }

  @Override
  public void read(long page, MemorySegment frame, Done done) {
    Long place = placeOf(page, false);
    if (place == null) {
      frame.fill((byte) 0);
      done.done(null);
      return;
    }
    BlockDevice.Buffer buffer = device.tryAcquire(pageBytes, () -> read(page, frame, done));
    if (buffer != null) {
      device.read(place * pageBytes, buffer, errno -> {
        MemorySegment.copy(buffer.segment(), 0, frame, 0, pageBytes);
        buffer.release();
        done.done(failure("reading", page, errno));
      });
    }
  }

  @Override
  public void write(long page, MemorySegment frame, Done done) {
    Long place = placeOf(page, true);
    if (place == null) {
      done.done("the device has no room for another page");
      return;
    }
    BlockDevice.Buffer buffer = device.tryAcquire(pageBytes, () -> write(page, frame, done));
    if (buffer != null) {
      MemorySegment.copy(frame, 0, buffer.segment(), 0, pageBytes);
      device.write(place * pageBytes, buffer, false, errno -> {
        buffer.release();
        done.done(failure("writing", page, errno));
      });
    }
  }

  private static String failure(String what, long page, int errno) {
    return errno == Errno.OK ? null : what + " page " + page + " failed with error " + errno;
  }

  private synchronized Long placeOf(long page, boolean make) {
    Long place = places.get(page);
    if (place == null && make) {
      place = freePlaces.poll();
      if (place == null && nextPlace < device.sizeBytes() / pageBytes) {
        place = nextPlace++;
      }
      if (place != null) {
        places.put(page, place);
      }
    }
    return place;
  }

  @Override
  public synchronized void discard(long page) {
    Long place = places.remove(page);
    if (place != null) {
      freePlaces.add(place);
    }
  }

  @Override
  public void close() {}
}

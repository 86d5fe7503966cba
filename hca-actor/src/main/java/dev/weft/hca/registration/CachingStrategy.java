package dev.weft.hca.registration;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;

/** The common part of the strategies that keep registrations. Subclasses decide what to evict. */
abstract class CachingStrategy implements RegistrationStrategy {
  private final Registrar registrar;
  private final boolean fast;
  private final DeregistrationBatch batch;
  private final RegionIndex index = new RegionIndex();
  /** Regions without users, least recently used first. */
  private final LinkedHashSet<Region> idle = new LinkedHashSet<>();
  private long numbers;
  /** Total size of all regions that are not waiting in the batch, including doomed ones. */
  private long bytes;
  private long pinnedBytes;
  private int inUse;
  private long hits;
  private long misses;
  private long evictions;
  private long stale;
  private long unpinned;

  CachingStrategy(Registrar registrar, boolean fast, DeregistrationBatch batch) {
    this.registrar = registrar;
    this.fast = fast;
    this.batch = batch;
  }

  /** Makes room for a region of {@code lengthBytes} by {@link #evictOldest}, or throws. */
  abstract void makeRoom(long lengthBytes);

  /** Evicts idle regions that exceed the limits, after a release. */
  abstract void trim();

  final int regions() {
    return index.size();
  }

  final long bytes() {
    return bytes;
  }

  @Override
  public final Registration acquireKept(MemorySegment memory, int access) {
    return isFindable(memory, access) && index.find(memory, access) != null ? acquire(memory, access) : null;
  }

  /** Whether a kept registration may serve the request: not if regMr would reject it. */
  private static boolean isFindable(MemorySegment memory, int access) {
    return memory.isNative() && memory.byteSize() > 0 && !(memory.isReadOnly() && (access & Access.LOCAL_WRITE) != 0);
  }

  @Override
  public final Registration acquire(MemorySegment memory, int access) {
    boolean findable = isFindable(memory, access);
    Region region = findable ? index.find(memory, access) : null;
    if (region != null) {
      hits++;
      idle.remove(region);
    } else {
      if (findable) {
        dropDead(memory);
        makeRoom(memory.byteSize());
      }
      region = new Region(memory, access, register(memory, access), ++numbers);
      misses++;
      index.add(region);
      bytes += region.bytes();
      if (region.keys.isPinned()) {
        pinnedBytes += region.bytes();
      } else {
        unpinned++;
      }
    }
    if (region.users++ == 0) {
      inUse++;
    }
    return new Registration(region);
  }

  /** Registers memory. If the HCA has no room, deregisters all idle regions and tries again. */
  private RegisteredMemory register(MemorySegment memory, int access) {
    try {
      return registrar.register(memory, access, fast);
    } catch (VerbsException refused) {
      if (refused.errno() != Errno.ENOMEM || !giveBack()) {
        throw refused;
      }
      return registrar.register(memory, access, fast);
    }
  }

  private boolean giveBack() {
    boolean any = batch.count() > 0;
    while (evictOldest()) {
      any = true;
    }
    batch.flush();
    return any;
  }

  /** Drops registrations of freed memory in the address range of {@code memory}. */
  private void dropDead(MemorySegment memory) {
    long end = memory.address() + memory.byteSize();
    for (Region region : index.overlapping(memory.address(), end)) {
      if (!region.isLive() || !region.memory.scope().equals(memory.scope())) {
        forget(region);
      }
    }
  }

  @Override
  public final void release(Registration registration) {
    Region region = registration.region;
    if (registration.released) {
      throw new IllegalStateException("the registration with lkey 0x" + Integer.toHexString(region.keys.lkey())
          + " was released already");
    }
    registration.released = true;
    if (--region.users > 0) {
      return;
    }
    inUse--;
    if (region.isDoomed) {
      count(region, -1);
      registrar.deregister(region.keys, region.bytes());
      return;
    }
    idle.add(region);
    trim();
  }

  @Override
  public final void invalidate(MemorySegment freed) {
    long end = freed.address() + freed.byteSize();
    for (Region region : index.overlapping(freed.address(), end)) {
      forget(region);
    }
    batch.flushIfOverlaps(freed.address(), end);
  }

  private void forget(Region region) {
    stale++;
    index.remove(region);
    if (region.users > 0) {
      region.isDoomed = true;
      return;
    }
    idle.remove(region);
    count(region, -1);
    registrar.deregister(region.keys, region.bytes());
  }

  private void count(Region region, int sign) {
    bytes += sign * region.bytes();
    pinnedBytes += region.keys.isPinned() ? sign * region.bytes() : 0;
  }

  /** Evicts the region that has been idle longest; returns false if all regions are in use. */
  final boolean evictOldest() {
    if (idle.isEmpty()) {
      return false;
    }
    Region oldest = idle.removeFirst();
    index.remove(oldest);
    count(oldest, -1);
    evictions++;
    batch.add(oldest);
    return true;
  }

  @Override
  public final RegistrationStats stats() {
    return new RegistrationStats(hits, misses, evictions, stale, index.size(), inUse, batch.count(), bytes + batch.bytes(),
        pinnedBytes + batch.pinnedBytes(), unpinned, batch.batches());
  }

  @Override
  public final void close() {
    for (Region region : List.copyOf(idle)) {
      idle.remove(region);
      index.remove(region);
      count(region, -1);
      batch.add(region);
    }
    batch.flush();
    if (inUse > 0) {
      throw new IllegalStateException(inUse + " registrations are held; release them before closing");
    }
  }
}

package dev.weft.hca.registration;

import java.lang.foreign.MemorySegment;

/** Registers for each use and deregisters after it. */
final class DynamicRegistration implements RegistrationStrategy {
  private final Registrar registrar;
  private int inUse;
  private long misses;
  private long bytes;
  private long pinnedBytes;
  private long unpinned;

  DynamicRegistration(Registrar registrar) {
    this.registrar = registrar;
  }

  @Override
  public Registration acquire(MemorySegment memory, int access) {
    Region region = new Region(memory, access, registrar.register(memory, access, false), ++misses);
    inUse++;
    bytes += region.bytes();
    if (region.keys.isPinned()) {
      pinnedBytes += region.bytes();
    } else {
      unpinned++;
    }
    return new Registration(region);
  }

  @Override
  public void release(Registration registration) {
    Region region = registration.region;
    if (registration.released) {
      throw new IllegalStateException("the registration with lkey 0x" + Integer.toHexString(region.keys.lkey())
          + " was released already");
    }
    registration.released = true;
    inUse--;
    bytes -= region.bytes();
    pinnedBytes -= region.keys.isPinned() ? region.bytes() : 0;
    registrar.deregister(region.keys, region.bytes());
  }

  /** Does nothing, because this strategy keeps no registrations. */
  @Override
  public void invalidate(MemorySegment freed) {}

  @Override
  public RegistrationStats stats() {
    return new RegistrationStats(0, misses, 0, 0, inUse, inUse, 0, bytes, pinnedBytes, unpinned, 0);
  }

  @Override
  public void close() {
    if (inUse > 0) {
      throw new IllegalStateException(inUse + " registrations are held; release them before closing");
    }
  }
}

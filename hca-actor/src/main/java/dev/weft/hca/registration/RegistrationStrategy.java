package dev.weft.hca.registration;

import java.lang.foreign.MemorySegment;

/**
 * Decides when memory is registered and deregistered. Used by one thread at a time, off the hot path: a miss is a control verb.
 *
 * <p><b>Freed memory.</b> Closing the arena of a segment is noticed without being told: a registration serves only memory of its own
 * scope, while that is alive. Where memory changes hands inside one scope, as with an allocator of one's own or memory that the JVM did
 * not allocate, the allocator says so with {@link #invalidate}, before the range may be used again. A strategy that keeps a registration
 * keeps its segment, so memory of an automatic arena is not freed under it.
 *
 * <p>What is kept stays open to peers that know its rkey, until it is evicted or invalidated.
 */
public interface RegistrationStrategy extends AutoCloseable {
  /**
   * Registers memory, or finds a registration that covers it with all of {@code access}.
   *
   * @param access {@link dev.weft.hca.verbs.Access} bits
   * @throws dev.weft.hca.verbs.VerbsException as {@link dev.weft.hca.verbs.Hca#regMr}; ENOMEM also from {@code static} beyond its bounds
   */
  Registration acquire(MemorySegment memory, int access);

  /** The same if nothing has to be registered for it, else null. */
  default Registration acquireKept(MemorySegment memory, int access) {
    return null;
  }

  /**
   * The memory is not used through this registration any more.
   *
   * @throws IllegalStateException if it was released already
   */
  void release(Registration registration);

  /**
   * The memory is freed: no registration that touches it is found any more. Those that nobody holds are deregistered when this returns,
   * the others with their last release.
   */
  void invalidate(MemorySegment freed);

  RegistrationStats stats();

  /**
   * Deregisters everything that nobody holds.
   *
   * @throws IllegalStateException if something is held; the rest is deregistered all the same
   */
  @Override
  void close();

  /** The strategy that the settings name. */
  static RegistrationStrategy create(RegistrationSettings settings, Registrar registrar) {
    return switch (settings.strategy()) {
      case STATIC -> new StaticRegistration(settings, registrar);
      case DYNAMIC -> new DynamicRegistration(registrar);
      case PIN_DOWN_CACHE -> new PinDownCache(settings, registrar);
      case FMRD -> new FastRegistration(settings, registrar);
      case UNPINNED -> new UnpinnedRegistration(settings, registrar.unpinned());
    };
  }
}

package dev.weft.hca.registration;

import java.lang.foreign.MemorySegment;

/**
 * Decides when memory is registered and deregistered. Used by one thread at a time, off the hot path: a miss is a control verb.
 *
 * <p><b>Freed memory.</b> The strategy notices the closing of a segment's arena itself: a registration serves only memory of its own scope while
 * that scope is alive. If memory is freed and reused inside one scope, as with a custom allocator or memory that the JVM did not allocate, the
 * allocator must call {@link #invalidate} before the range is used again. A strategy that keeps a registration keeps its segment, so memory of an
 * automatic arena is not freed under it.
 *
 * <p>Peers that know the rkey of a kept registration can access its memory until it is evicted or invalidated.
 */
public interface RegistrationStrategy extends AutoCloseable {
  /**
   * Registers memory, or finds a registration that covers it with all of {@code access}.
   *
   * @param access {@link dev.weft.hca.verbs.Access} bits
   * @throws dev.weft.hca.verbs.VerbsException as {@link dev.weft.hca.verbs.Hca#regMr}; the strategy STATIC also throws ENOMEM beyond its limits
   */
  Registration acquire(MemorySegment memory, int access);

  /** Like {@link #acquire}, if a kept registration serves the request; otherwise null. */
  default Registration acquireKept(MemorySegment memory, int access) {
    return null;
  }

  /**
   * Ends the caller's use of a registration.
   *
   * @throws IllegalStateException if the registration was already released
   */
  void release(Registration registration);

  /**
   * Reports that memory is freed. Lookups no longer find registrations that overlap it. Idle ones are deregistered when this returns, the others at
   * their last release.
   */
  void invalidate(MemorySegment freed);

  RegistrationStats stats();

  /**
   * Deregisters all idle registrations.
   *
   * @throws IllegalStateException if a registration is still in use; the idle ones are deregistered even then
   */
  @Override
  void close();

  /** Creates the strategy that the settings name. */
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

package dev.weft.hca.registration;

/**
 * Keeps registrations after use and evicts the least recently used first (PVFS over InfiniBand section 5.3). It evicts before it registers, so that
 * the old and the new region are not pinned at the same time. Registrations in use count against the limits and may exceed them; if they do, none is
 * kept idle.
 */
class PinDownCache extends CachingStrategy {
  private final RegistrationSettings settings;

  PinDownCache(RegistrationSettings settings, Registrar registrar) {
    this(settings, registrar, false, new DeregistrationBatch(registrar, 1, Long.MAX_VALUE));
  }

  PinDownCache(RegistrationSettings settings, Registrar registrar, boolean fast, DeregistrationBatch batch) {
    super(registrar, fast, batch);
    this.settings = settings;
  }

  @Override
  final void makeRoom(long lengthBytes) {
    if (lengthBytes > settings.bytesMax()) {
      // The region is too large to keep, so evicting others for it would not help.
      return;
    }
    while (regions() >= settings.entriesMax() || bytes() > settings.bytesMax() - lengthBytes) {
      if (!evictOldest()) {
        return;
      }
    }
  }

  @Override
  final void trim() {
    while (regions() > settings.entriesMax() || bytes() > settings.bytesMax()) {
      if (!evictOldest()) {
        return;
      }
    }
  }
}

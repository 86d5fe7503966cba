package dev.weft.hca.registration;

/**
 * Keeps registrations after use, least recently used first out (seed 002 section 5.3). Room is made before registering, so that the two
 * are not pinned together. Registrations in use count against the bounds and may exceed them; what is idle never does.
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
      // It will not be kept, so giving up others for it would not help.
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

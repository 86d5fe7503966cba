package dev.weft.hca.registration;

/**
 * Registers without pinning (seed 004): what is registered costs an entry of a table and no memory, so it is kept until entries are
 * wanted. Virtual memory of the host is translated at the moment of a transfer, see {@link dev.weft.hca.netvm}; other memory is left to
 * the operating system.
 */
final class UnpinnedRegistration extends CachingStrategy {
  private final RegistrationSettings settings;

  UnpinnedRegistration(RegistrationSettings settings, Registrar registrar) {
    super(registrar, true, new DeregistrationBatch(registrar, 1, Long.MAX_VALUE));
    this.settings = settings;
  }

  @Override
  void makeRoom(long lengthBytes) {
    while (regions() >= settings.entriesMax() && evictOldest()) {
      // Until there is room or nothing is idle.
    }
  }

  @Override
  void trim() {
    while (regions() > settings.entriesMax() && evictOldest()) {
      // Until the rest fits.
    }
  }
}

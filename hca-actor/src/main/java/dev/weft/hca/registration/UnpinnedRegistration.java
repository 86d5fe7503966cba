package dev.weft.hca.registration;

/**
 * Registers without pinning (NetVM). A registration costs a table entry but no physical memory, so it is kept until entries run out. The HCA translates
 * the host's virtual memory at the time of a transfer, see {@link dev.weft.hca.netvm}; the operating system manages other memory.
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
      // The loop ends when there is room or nothing is idle.
    }
  }

  @Override
  void trim() {
    while (regions() > settings.entriesMax() && evictOldest()) {
      // The loop ends when the rest fits or nothing is idle.
    }
  }
}

package dev.weft.hca.registration;

import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;

/** Registers each range once and keeps it. For pools: the registration of a pool serves its parts. Rejects registrations beyond its limits. */
final class StaticRegistration extends CachingStrategy {
  private final RegistrationSettings settings;

  StaticRegistration(RegistrationSettings settings, Registrar registrar) {
    super(registrar, false, new DeregistrationBatch(registrar, 1, Long.MAX_VALUE));
    this.settings = settings;
  }

  @Override
  void makeRoom(long lengthBytes) {
    if (regions() >= settings.entriesMax() || lengthBytes > settings.bytesMax() - bytes()) {
      throw new VerbsException(Errno.ENOMEM, "static registration holds " + regions() + " regions of " + bytes() + " bytes and has no "
          + "room for " + lengthBytes + " more; raise entriesMax or bytesMax of its RegistrationSettings");
    }
  }

  @Override
  void trim() {}
}

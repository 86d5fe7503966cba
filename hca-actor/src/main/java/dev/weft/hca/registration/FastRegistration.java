package dev.weft.hca.registration;

/** FMRD: a pin-down cache that registers into prepared regions and deregisters in batches (PVFS over InfiniBand section 5.4). */
final class FastRegistration extends PinDownCache {
  FastRegistration(RegistrationSettings settings, Registrar registrar) {
    super(settings, registrar, true, new DeregistrationBatch(registrar, settings.batchMax(), settings.batchBytesMax()));
  }
}

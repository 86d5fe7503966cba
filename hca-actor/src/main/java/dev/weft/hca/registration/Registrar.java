package dev.weft.hca.registration;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Registers and deregisters memory. A {@link RegistrationStrategy} reduces the number of these calls. */
public interface Registrar {
  /**
   * Registers memory at its native address.
   *
   * @param access {@link dev.weft.hca.verbs.Access} bits
   * @param fast whether to use a region that was allocated before (FMR), if the registrar supports that
   * @throws dev.weft.hca.verbs.VerbsException as {@link dev.weft.hca.verbs.Hca#regMr}
   */
  RegisteredMemory register(MemorySegment memory, int access, boolean fast);

  /** Returns a registrar that does not pin, if this one supports that; otherwise this registrar. */
  default Registrar unpinned() {
    return this;
  }

  /** Deregisters memory; {@code lengthBytes} is its registered length. */
  void deregister(RegisteredMemory registered, long lengthBytes);

  /** Deregisters several regions together, which costs less per region. The lists have the same length. */
  void deregisterAll(List<RegisteredMemory> registered, List<Long> lengthsBytes);
}

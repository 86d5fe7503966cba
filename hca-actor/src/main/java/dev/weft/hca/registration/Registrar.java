package dev.weft.hca.registration;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Registers and deregisters; what a {@link RegistrationStrategy} saves calls of. */
public interface Registrar {
  /**
   * Registers memory at its native address.
   *
   * @param access {@link dev.weft.hca.verbs.Access} bits
   * @param fast into a region that was allocated before (FMR), where the registrar knows a cheaper way to do that
   * @throws dev.weft.hca.verbs.VerbsException as {@link dev.weft.hca.verbs.Hca#regMr}
   */
  RegisteredMemory register(MemorySegment memory, int access, boolean fast);

  /** A registrar of the same memory that does not pin, where this one knows how; else this one. */
  default Registrar unpinned() {
    return this;
  }

  /** Deregisters; {@code lengthBytes} is the length that was registered. */
  void deregister(RegisteredMemory registered, long lengthBytes);

  /** Deregisters several together, which costs less for each. The lists have the same length. */
  void deregisterAll(List<RegisteredMemory> registered, List<Long> lengthsBytes);
}

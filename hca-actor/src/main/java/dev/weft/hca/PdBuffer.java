package dev.weft.hca;

import dev.weft.hca.VerbsException.Errno;
import java.lang.foreign.MemorySegment;

/**
 * Memory that was allocated for a protection domain, as {@code ibv_buf}: page-aligned, zero, and registered only in that domain, whole
 * or in parts.
 */
public final class PdBuffer extends HeldMemory {
  private final ProtectionDomain pd;

  PdBuffer(ProtectionDomain pd, long lengthBytes) {
    super(pd.hca(), lengthBytes);
    this.pd = pd;
  }

  public ProtectionDomain pd() {
    return pd;
  }

  /** The memory itself, for the consumer to read and write. */
  public MemorySegment segment() {
    return memory;
  }

  @Override
  void checkRegistration(ProtectionDomain domain, long offset, long lengthBytes, int access) {
    if (domain != pd) {
      throw new VerbsException(Errno.EINVAL, "the buffer was allocated for protection domain " + pd.handle()
          + " and cannot be registered in " + domain.handle());
    }
    if (!memory.scope().isAlive() || offset < 0 || lengthBytes < 0 || lengthBytes > length() - offset) {
      throw new VerbsException(Errno.EINVAL, lengthBytes + " bytes at " + offset + " of a buffer of " + length() + " bytes"
          + (memory.scope().isAlive() ? ", want a range inside it" : " that was freed"));
    }
  }
}

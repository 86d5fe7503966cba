package dev.weft.hca.memory;

import dev.weft.hca.verbs.PdBuffer;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.MemorySegment;

/** Memory that the HCA has allocated for one protection domain. */
public final class PdBuf extends HeldMemory implements PdBuffer {
  private final Pd pd;

  PdBuf(Pd pd, long lengthBytes) {
    super(pd.hca(), lengthBytes);
    this.pd = pd;
  }

  @Override
  public Pd pd() {
    return pd;
  }

  @Override
  public MemorySegment segment() {
    return memory;
  }

  @Override
  void checkRegistration(Pd domain, long offset, long lengthBytes, int access) {
    if (domain != pd) {
      throw new VerbsException(Errno.EINVAL, "the buffer was allocated for protection domain " + pd.handle()
          + " and cannot be registered in " + domain.handle());
    }
    if (!memory.scope().isAlive() || offset < 0 || lengthBytes < 0 || lengthBytes > length() - offset) {
      throw new VerbsException(Errno.EINVAL, lengthBytes + " bytes at " + offset + " of a buffer of " + length() + " bytes"
          + (memory.scope().isAlive() ? "; the range must be inside the buffer" : " that was freed"));
    }
  }
}

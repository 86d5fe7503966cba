package dev.weft.hca.memory;

import dev.weft.fabric.Check;
import dev.weft.fabric.packet.MissingPages;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.DeviceMemory;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.MemorySegment;

/** Device memory: memory of the HCA that a consumer has allocated. */
public final class Dm extends HeldMemory implements DeviceMemory {

  Dm(Hca hca, long lengthBytes) {
    super(hca, lengthBytes);
  }

  @Override
  public void copyTo(long offset, MemorySegment source) {
    Check.given("source", source);
    check(offset, source.byteSize());
    copy(source, 0, memory, offset, source);
  }

  @Override
  public void copyFrom(long offset, MemorySegment target) {
    Check.given("target", target);
    check(offset, target.byteSize());
    copy(memory, offset, target, 0, target);
  }

  private static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, MemorySegment consumers) {
    long lengthBytes = consumers.byteSize();
    try {
      MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
      MissingPages.raise();
    } catch (IllegalStateException freed) {
      throw new VerbsException(Errno.EINVAL, "the device memory or the memory of the program was freed during the copy");
    } catch (InternalError error) {
      throw PageAdvice.missing(error, consumers);
    }
  }

  private void check(long offset, long lengthBytes) {
    if (!memory.scope().isAlive()) {
      throw new VerbsException(Errno.EINVAL, "the device memory was freed");
    }
    boolean aligned = offset % ALIGNMENT == 0 && lengthBytes % ALIGNMENT == 0;
    if (!aligned || offset < 0 || lengthBytes < 0 || lengthBytes > length() - offset) {
      throw new VerbsException(Errno.EINVAL, lengthBytes + " bytes at " + offset + " of device memory of " + length()
          + " bytes; both must be multiples of " + ALIGNMENT + ", and the range must be inside the memory");
    }
  }

  @Override
  void checkRegistration(Pd pd, long offset, long lengthBytes, int access) {
    check(offset, lengthBytes);
    if ((access & Access.ZERO_BASED) == 0) {
      throw new VerbsException(Errno.EINVAL, "device memory has no address of its own; register it with ZERO_BASED");
    }
  }
}

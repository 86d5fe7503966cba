package dev.weft.tripwire.via;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Rights;
import java.lang.foreign.MemorySegment;

/** Registered memory. Deregister it before you close it. */
public final class MemoryHandle {
  private final MemorySegment segment;
  private final ProtectionTag tag;
  /** Not null if RDMA writes are enabled. */
  private final LocalAperture aperture;
  private volatile boolean registered = true;

  MemoryHandle(MemorySegment segment, ProtectionTag tag, LocalAperture aperture) {
    this.segment = segment;
    this.tag = tag;
    this.aperture = aperture;
  }

  MemorySegment segment() {
    return segment;
  }

  /** Whether a VI with this tag may use these bytes. */
  boolean allows(ProtectionTag user, long offset, int length) {
    return registered && user == tag && offset >= 0 && length >= 0 && offset <= segment.byteSize() - length
        && segment.scope().isAlive();
  }

  void deregister() {
    registered = false;
    if (aperture != null) {
      aperture.revoke();
    }
  }

  /**
   * The descriptor for RDMA writes to this memory.
   *
   * @throws ViaException INVALID_PARAMETER if RDMA writes are not enabled
   */
  public Descriptor remote() {
    if (aperture == null) {
      throw new ViaException(ViaResult.INVALID_PARAMETER, "the memory was registered without RDMA write");
    }
    return aperture.descriptor(Rights.WRITE);
  }
}

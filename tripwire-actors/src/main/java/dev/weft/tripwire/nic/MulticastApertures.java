package dev.weft.tripwire.nic;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletionStage;

/**
 * Apertures whose writes the switch delivers to several hosts (CLAN, section 2.5), as a NIC's applications see them. A holder of the descriptor may
 * {@link #join} the aperture, and {@link Nic#map} it. A store or DMA request through the mapping is placed in every member's memory, in the order of
 * each sender, and passes each cable once. There are no reads. Any thread.
 */
public interface MulticastApertures {
  /**
   * Makes a new aperture of {@code length} bytes, without members. It exists until {@link #close} is called and the last member has left.
   *
   * @return completed on the hardware thread, with a {@link NicException} if the fabric refuses
   */
  CompletionStage<Descriptor> open(long length);

  /** Ends {@link #open}; no effect on other NICs than that of the opener. */
  void close(Descriptor group);

  /**
   * Makes memory of this host a member; revoking the returned aperture ends the membership. Every write that begins after the completion is placed
   * here; an earlier one may be placed in part. A NIC can be a member only once.
   *
   * @param segment as long as the multicast aperture
   * @return completed on the hardware thread, with a {@link NicException} if the aperture was closed or the fabric refuses
   */
  CompletionStage<LocalAperture> join(Descriptor group, MemorySegment segment);
}

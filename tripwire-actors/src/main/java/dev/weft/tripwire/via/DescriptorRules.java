package dev.weft.tripwire.via;

import dev.weft.tripwire.nic.Rights;

/**
 * The limits of a VI's descriptors.
 *
 * @param tag tag of the memory that they may use
 * @param maxTransferBytes size of the longest message
 * @param segmentsMax maximum number of segments
 */
record DescriptorRules(ProtectionTag tag, int maxTransferBytes, int segmentsMax) {
  /** Returns SUCCESS, or what is wrong with a descriptor of the send or the receive queue. */
  ViaStatus check(ViaDescriptor descriptor, boolean isReceive) {
    boolean receives = descriptor.operation() == ViaDescriptor.Operation.RECEIVE;
    if (receives != isReceive || descriptor.segments().size() > segmentsMax || descriptor.requestedBytes() > maxTransferBytes) {
      return ViaStatus.FORMAT_ERROR;
    }
    for (ViaDescriptor.Segment segment : descriptor.segments()) {
      if (!segment.memory().allows(tag, segment.offset(), segment.length())) {
        return ViaStatus.PROTECTION_ERROR;
      }
    }
    return descriptor.operation() != ViaDescriptor.Operation.RDMA_WRITE || remoteAllows(descriptor) ? ViaStatus.SUCCESS
        : ViaStatus.RDMA_PROTECTION_ERROR;
  }

  /** Whether an RDMA write stays within the limits of its cookie. */
  private static boolean remoteAllows(ViaDescriptor descriptor) {
    return (descriptor.remote().rights() & Rights.WRITE) != 0 && descriptor.remoteOffset() >= 0
        && descriptor.requestedBytes() <= descriptor.remote().length() - descriptor.remoteOffset();
  }
}

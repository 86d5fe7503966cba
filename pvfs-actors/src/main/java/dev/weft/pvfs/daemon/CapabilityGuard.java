package dev.weft.pvfs.daemon;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonRequest;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * Checks that requests show a capability of the manager for their object. STAT and STATFS need none: every connected client may ask for lengths and
 * space. One thread.
 */
final class CapabilityGuard {
  private final CapabilityKey key;
  private final LongSupplier wallNs;
  private final ByteBuffer scratch = ByteBuffer.allocate(CapabilityKey.ENCODED_BYTES);

  /**
   * Makes the guard of a file system.
   *
   * @param key with which its manager signs capabilities; null accepts all requests
   * @param wallNs nanoseconds since 1970; the clock must agree with the manager's to much less than a capability's life
   */
  CapabilityGuard(byte[] key, LongSupplier wallNs) {
    this.key = key == null ? null : new CapabilityKey(key);
    this.wallNs = wallNs;
  }

  /** Returns OK; EACCES if the request shows no capability that allows it; ESTALE if that has expired. */
  int check(VerifiedCapabilities verified, DaemonRequest request) {
    int wanted = switch (request.op) {
      case STAT, STATFS -> 0;
      case READ -> Capability.READ;
      case WRITE, TRUNCATE, PUNCH, EXTEND -> Capability.WRITE;
      case SYNC -> Capability.READ | Capability.WRITE;
      case REMOVE, LIST, SCRUB -> Capability.ACCESS_MASK;
    };
    if (key == null || wanted == 0) {
      return Errno.OK;
    }
    Capability shown = verified.find(request.object, request.capability);
    if (shown == null) {
      shown = key.verify(scratch.clear().put(request.capability).flip());
      if (shown == null) {
        return Errno.EACCES;
      }
      verified.add(request.object, request.capability, shown);
    }
    if (!allows(shown, request, wanted)) {
      return Errno.EACCES;
    }
    return shown.expiryNs() - wallNs.getAsLong() > 0 ? Errno.OK : Errno.ESTALE;
  }

  private static boolean allows(Capability shown, DaemonRequest request, int wanted) {
    return switch (request.op) {
      case SYNC -> shown.inode() == request.object && (shown.access() & wanted) != 0;
      case REMOVE, LIST, SCRUB -> shown.session() == Capability.MANAGER && shown.allows(request.object, wanted);
      default -> shown.allows(request.object, wanted);
    };
  }
}

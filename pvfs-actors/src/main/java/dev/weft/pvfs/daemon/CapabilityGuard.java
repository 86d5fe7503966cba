package dev.weft.pvfs.daemon;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonRequest;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * Lets through what the manager has allowed: each request about an object shows a capability for it. The length of an object, and the room that there is,
 * are told to everybody who is connected. One thread.
 */
final class CapabilityGuard {
  private final CapabilityKey key;
  private final LongSupplier wallNs;
  private final ByteBuffer scratch = ByteBuffer.allocate(CapabilityKey.ENCODED_BYTES);

  /**
   * Of a file system.
   *
   * @param key that its manager marks capabilities with; null lets all through
   * @param wallNs nanoseconds since 1970, on a clock that agrees with the manager's to much less than a capability lives
   */
  CapabilityGuard(byte[] key, LongSupplier wallNs) {
    this.key = key == null ? null : new CapabilityKey(key);
    this.wallNs = wallNs;
  }

  /** OK; EACCES if the request shows no capability, or none that allows this; ESTALE if that has expired. */
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

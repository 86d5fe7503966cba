package dev.weft.pvfs.manager;

import dev.weft.pvfs.client.CapabilitySource;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.Grant;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** Makes capabilities: for clients, of their open files; for the manager itself, of everything. Any thread. */
public final class Capabilities implements CapabilitySource {
  private static final long OWN_LIFETIME_NS = 60_000_000_000L;

  private final CapabilityKey key;
  private final LongSupplier wallNs;

  /** @param wallNs nanoseconds since 1970 */
  public Capabilities(FileSystemLabel label, LongSupplier wallNs) {
    this.key = new CapabilityKey(label.key());
    this.wallNs = wallNs;
  }

  Grant grant(long inode, int access, long session, long lifetimeNs) {
    return new Grant(encode(inode, access, session, lifetimeNs), lifetimeNs);
  }

  private synchronized byte[] encode(long inode, int access, long session, long lifetimeNs) {
    ByteBuffer out = ByteBuffer.allocate(CapabilityKey.ENCODED_BYTES);
    key.encode(new Capability(inode, access, session, wallNs.getAsLong() + lifetimeNs), out);
    return out.array();
  }

  /** Whether a client shows a capability that a manager of this file system gave it, however long ago. */
  synchronized boolean isOf(byte[] shown, long inode, int access, long session) {
    Capability capability = key.verify(ByteBuffer.wrap(shown));
    return capability != null && capability.session() == session && capability.allows(inode, access);
  }

  /** The manager's own capability. */
  @Override
  public byte[] of(long object, DaemonOp op) {
    return encode(object, Capability.ACCESS_MASK, Capability.MANAGER, OWN_LIFETIME_NS);
  }

  @Override
  public boolean renew(long object, Runnable then) {
    return false; // Each one is made anew.
  }
}

package dev.weft.pvfs.client;

import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.Grant;
import java.util.function.LongSupplier;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Capabilities of what a client has open, as the manager has given them; one that has lived half of its life is asked for anew when it is used. Bound: files
 * that are open. Any thread.
 */
public final class Grants implements CapabilitySource {
  /** Asks the manager for a new one; it comes by {@link #put}. */
  public interface Renewer {
    /** As {@link CapabilitySource#renew}. */
    boolean renew(long inode, Runnable then);
  }

  private static final class Held {
    byte[] capability;
    long renewAtNs;
    boolean isAsked;
  }

  private final Long2ObjectHashMap<Held> byInode = new Long2ObjectHashMap<>();
  private final LongSupplier nowNs;
  private volatile Renewer renewer = (_, _) -> false;

  /** @param nowNs of any clock that only goes on */
  public Grants(LongSupplier nowNs) {
    this.nowNs = nowNs;
  }

  /** Who asks, from now on. */
  public void renewBy(Renewer by) {
    renewer = by;
  }

  public synchronized void put(long inode, Grant grant) {
    Held held = byInode.computeIfAbsent(inode, _ -> new Held());
    held.capability = grant.capability();
    held.renewAtNs = nowNs.getAsLong() + grant.lifetimeNs() / 2;
    held.isAsked = false;
  }

  public synchronized void remove(long inode) {
    byInode.remove(inode);
  }

  /** The last one, however old; null if there is none. */
  public synchronized byte[] last(long inode) {
    Held held = byInode.get(inode);
    return held == null ? null : held.capability;
  }

  public synchronized int size() {
    return byInode.size();
  }

  @Override
  public byte[] of(long object, DaemonOp op) {
    Held held;
    boolean mustRenew;
    byte[] capability;
    synchronized (this) {
      held = byInode.get(object);
      if (held == null) {
        return null;
      }
      capability = held.capability;
      mustRenew = !held.isAsked && nowNs.getAsLong() - held.renewAtNs >= 0;
      held.isAsked |= mustRenew;
    }
    if (mustRenew && !renewer.renew(object, () -> { })) {
      askLater(held);
    }
    return capability;
  }

  private synchronized void askLater(Held held) {
    held.isAsked = false;
  }

  @Override
  public boolean renew(long object, Runnable then) {
    return renewer.renew(object, then);
  }
}

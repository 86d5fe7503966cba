package dev.weft.pvfs.client;

import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Capabilities from the manager for the files that a client has open. A capability past half of its life is renewed when it is used. Bound: the
 * number of open files. Any thread.
 */
public final class Grants implements CapabilitySource {
  /** Asks the manager for a new capability, which arrives by {@link #put}. */
  @FunctionalInterface
  public interface Renewer {
    /** Calls {@code then} once, when there is an answer or there will be none; any thread, must not block. */
    void renew(long inode, Runnable then);
  }

  private static final long AGAIN_NS = 1_000_000_000L;

  private static final class Held {
    byte[] capability;
    long renewAtNs;
    /** Callbacks that wait for a renewal; null if none is under way. */
    List<Runnable> waiting;
  }

  private final Long2ObjectHashMap<Held> byInode = new Long2ObjectHashMap<>();
  private final LongSupplier nowNs;
  private volatile Renewer renewer = (_, then) -> then.run();

  /** @param nowNs any monotonic clock */
  public Grants(LongSupplier nowNs) {
    this.nowNs = nowNs;
  }

  /** Sets who renews from now on. */
  public void renewBy(Renewer by) {
    renewer = by;
  }

  public synchronized void put(long inode, Grant grant) {
    Held held = byInode.computeIfAbsent(inode, _ -> new Held());
    held.capability = grant.capability();
    held.renewAtNs = nowNs.getAsLong() + grant.lifetimeNs() / 2;
  }

  public synchronized void remove(long inode) {
    byInode.remove(inode);
  }

  /** Returns the latest capability, however old; null if there is none. */
  public synchronized byte[] last(long inode) {
    Held held = byInode.get(inode);
    return held == null ? null : held.capability;
  }

  public synchronized int size() {
    return byInode.size();
  }

  @Override
  public byte[] of(long object, DaemonOp op) {
    boolean mustRenew;
    byte[] capability;
    synchronized (this) {
      Held held = byInode.get(object);
      if (held == null) {
        return null;
      }
      capability = held.capability;
      mustRenew = held.waiting == null && nowNs.getAsLong() - held.renewAtNs >= 0;
    }
    if (mustRenew) {
      renew(object, () -> { });
    }
    return capability;
  }

  /** Asks for a renewal. Requests that are refused meanwhile wait for the same answer. */
  @Override
  public boolean renew(long object, Runnable then) {
    Held held;
    synchronized (this) {
      held = byInode.get(object);
      if (held != null && held.waiting != null) {
        held.waiting.add(then);
        return true;
      }
      if (held != null) {
        held.waiting = new ArrayList<>(List.of(then));
      }
    }
    renewer.renew(object, held == null ? then : () -> answered(held));
    return true;
  }

  private void answered(Held held) {
    List<Runnable> waiting;
    synchronized (this) {
      waiting = held.waiting;
      held.waiting = null;
      long now = nowNs.getAsLong();
      held.renewAtNs = now - held.renewAtNs >= 0 ? now + AGAIN_NS : held.renewAtNs; // No new one can be had now.
    }
    waiting.forEach(Runnable::run);
  }
}

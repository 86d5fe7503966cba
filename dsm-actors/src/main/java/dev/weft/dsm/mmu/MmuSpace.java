package dev.weft.dsm.mmu;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.InPlace;
import dev.weft.dsm.wire.ObjectName;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.dsm.wire.ObjectSpec.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Shared memory in a process of its own: the same program runs here and on a node. There are three differences: an access to a freed array or a lost
 * page throws an {@link InternalError}; a read or write of several elements is one step only within each minipage; an interrupt does not wake a
 * waiting thread. Refusals are {@link MmuException}s. Any thread.
 */
public final class MmuSpace implements SharedSpace {
  private static final long FOREVER = -1;
  private final MmuClient client;

  /**
   * Connects to a node.
   *
   * @param directory directory in which the node serves applications
   * @throws MmuException if no node serves there, or this machine forbids it; the message says what is missing
   */
  public MmuSpace(Path directory) {
    client = new MmuClient(directory);
  }

  @Override
  public int node() {
    return client.node();
  }

  @Override
  public SharedLongs longs(String name, long length, SharingUnit unit) {
    return new MappedArrays.Longs(client, client.map(Kind.LONGS, name, length, unit));
  }

  @Override
  public SharedDoubles doubles(String name, long length, SharingUnit unit) {
    return new MappedArrays.Doubles(client, client.map(Kind.DOUBLES, name, length, unit));
  }

  @Override
  public SharedInts ints(String name, long length, SharingUnit unit) {
    return new MappedArrays.Ints(client, client.map(Kind.INTS, name, length, unit));
  }

  @Override
  public SharedBytes bytes(String name, long length, SharingUnit unit) {
    return new MappedArrays.Bytes(client, client.map(Kind.BYTES, name, length, unit));
  }

  @Override
  public void free(String name) {
    InPlace.mine().requireOutside();
    client.free(name);
  }

  private record Lock(MmuClient client, String name) implements DsmLock {
    @Override
    public Acquired acquire() {
      InPlace.mine().requireOutside();
      return client.acquire(name, FOREVER).orElseThrow();
    }

    @Override
    public Optional<Acquired> tryAcquire(Duration max) {
      InPlace.mine().requireOutside();
      return client.acquire(name, MmuClient.nanos(max));
    }

    @Override
    public void release() {
      client.unlock(name);
    }
  }

  @Override
  public DsmLock lock(String name) {
    ObjectName.require(name);
    return new Lock(client, name);
  }

  private record Barrier(MmuClient client, String name, int parties) implements DsmBarrier {
    @Override
    public void await() {
      InPlace.mine().requireOutside();
      client.barrier(name, parties);
    }
  }

  @Override
  public DsmBarrier barrier(String name, int parties) {
    ObjectName.require(name);
    ObjectSpec.requireParties(name, parties);
    return new Barrier(client, name, parties);
  }

  private record Condition(MmuClient client, String name, String lock) implements DsmCondition {
    @Override
    public void await() {
      InPlace.mine().requireOutside();
      client.await(name, lock, FOREVER);
    }

    @Override
    public boolean await(Duration max) {
      InPlace.mine().requireOutside();
      return client.await(name, lock, MmuClient.nanos(max));
    }

    @Override
    public void signal() {
      client.signal(name, lock, false);
    }

    @Override
    public void signalAll() {
      client.signal(name, lock, true);
    }
  }

  @Override
  public DsmCondition condition(String name, DsmLock lock) {
    if (!(lock instanceof Lock ours) || ours.client != client) {
      throw new IllegalArgumentException("the lock of condition \"" + name + "\" must be one of this space");
    }
    ObjectName.require(name);
    return new Condition(client, name, ours.name);
  }

  /** Why the node has last made a page of this process fail, such as a page of a freed array; empty if it has not. */
  public String why() {
    return client.why();
  }

  /** Unmaps all arrays, which no thread may touch any more, and leaves. */
  @Override
  public void close() {
    InPlace.mine().requireOutside(); // It would unmap the segment in use.
    client.close();
  }
}

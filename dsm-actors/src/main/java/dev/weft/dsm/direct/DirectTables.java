package dev.weft.dsm.direct;

import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.net.Hello;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The registered memory of a node's synchronous engine. Other nodes read and change the first part: announcements, directory entries (valid for
 * minipages whose home this node is) and the page table, all by number of the minipage. Verbs of this node read into the second part and write from
 * it.
 */
public final class DirectTables {
  /** Maximum number of running steps to all nodes together, and of those that read announcements. */
  public static final int OPS = 256;

  public static final int LOOKS = 16;
  /** Bytes of each running step: the result of an atomic, owner and copies. */
  static final int OP_BYTES = 32;

  public static final int OP_OWNER = 8;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment memory;
  private final MemoryRegion region;
  private final int threadsMax;
  private final long directory;
  private final long rights;
  private final long zero;
  private final long ops;
  private final long looks;

  public DirectTables(Node node, ProtectionDomain pd, DsmSettings settings) {
    threadsMax = settings.threadsMax();
    directory = Announcements.bytes(threadsMax);
    rights = directory + (long) settings.minipagesMax() * DirectoryEntry.BYTES;
    zero = rights + (long) settings.minipagesMax() * Long.BYTES;
    ops = zero + Long.BYTES;
    looks = ops + (long) OPS * OP_BYTES;
    memory = node.hca().allocMemory(Arena.ofAuto(), looks + LOOKS * lookBytes(threadsMax));
    region = node.hca().regMr(pd, memory,
        Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC | Access.FLUSH_GLOBAL);
    for (int minipage = 0; minipage < settings.minipagesMax(); minipage++) {
      close(minipage);
    }
  }

  public MemorySegment memory() {
    return memory;
  }

  public MemoryRegion region() {
    return region;
  }

  public int threadsMax() {
    return threadsMax;
  }

  /** Size of the announcements of {@code slots} threads in bytes. */
  public static long lookBytes(int slots) {
    return Announcements.bytes(slots);
  }

  /** The description of these tables for other nodes. */
  public Hello.Direct hello(DsmSettings settings) {
    return new Hello.Direct(region.addr(), region.rkey(), settings.minipagesMax(), threadsMax);
  }

  // Addresses; the first two are the same at all nodes.

  public long entryAt(int minipage) {
    return directory + (long) minipage * DirectoryEntry.BYTES;
  }

  public long rightAt(int minipage) {
    return rights + (long) minipage * Long.BYTES;
  }

  /** A word that is 0. */
  public long zeroAt() {
    return zero;
  }

  public long opAt(int op) {
    return ops + (long) op * OP_BYTES;
  }

  public long lookAt(int look) {
    return looks + look * lookBytes(threadsMax);
  }

  // This node's own entries and rights.

  public PageTable tableOf(ObjectSpec spec) {
    return new PageTable(spec, memory.asSlice(rightAt(spec.firstMinipage()), (long) spec.minipages() * Long.BYTES));
  }

  public void grant(int minipage, byte right, boolean isServed) {
    LONG.setVolatile(memory, rightAt(minipage), DirectoryEntry.word(right, isServed));
  }

  public long word(long at) {
    return (long) LONG.getVolatile(memory, at);
  }

  public void put(long at, long value) {
    LONG.setVolatile(memory, at, value);
  }

  /** Sets up a minipage whose home and owner this node is. */
  public void own(int minipage, int self) {
    long at = entryAt(minipage);
    put(at + DirectoryEntry.OWNER, DirectoryEntry.owner(self, true));
    put(at + DirectoryEntry.COPIES, 1L << self);
    put(at + DirectoryEntry.LOCK, DirectoryEntry.FREE);
    grant(minipage, Rights.WRITE, false);
  }

  /** Locks an entry; returns the lock before. */
  public long lock(int minipage, long lock) {
    return (long) LONG.compareAndExchange(memory, entryAt(minipage) + DirectoryEntry.LOCK, DirectoryEntry.FREE, lock);
  }

  public void unlock(int minipage, long owner, long copies) {
    long at = entryAt(minipage);
    put(at + DirectoryEntry.OWNER, owner);
    put(at + DirectoryEntry.COPIES, copies);
    put(at + DirectoryEntry.LOCK, DirectoryEntry.FREE);
  }

  /** Closes an entry: no node can lock it. */
  public void close(int minipage) {
    put(entryAt(minipage) + DirectoryEntry.LOCK, DirectoryEntry.CLOSED);
  }

  /** Closes an entry unless a node has locked it; returns whether it is closed. */
  public boolean tryClose(int minipage) {
    long found = lock(minipage, DirectoryEntry.CLOSED);
    return found == DirectoryEntry.FREE || found == DirectoryEntry.CLOSED;
  }

  public boolean isClosed(int minipage) {
    return word(entryAt(minipage) + DirectoryEntry.LOCK) == DirectoryEntry.CLOSED;
  }

  public boolean isFree(int minipage) {
    return word(entryAt(minipage) + DirectoryEntry.LOCK) == DirectoryEntry.FREE;
  }

  public long copiesAt(int minipage) {
    return word(entryAt(minipage) + DirectoryEntry.COPIES);
  }

  /** A node is lost, and all its verbs have ended: frees an entry that it has locked, or marks the minipage as lost. */
  public void freeOf(int lost, int minipage) {
    long at = entryAt(minipage);
    long lock = word(at + DirectoryEntry.LOCK);
    if (lock != DirectoryEntry.FREE && DirectoryEntry.holder(lock) == lost) {
      boolean isLost = DirectoryEntry.isLostWithHolder(lock, (byte) word(rightAt(minipage)));
      unlock(minipage, isLost ? DirectoryEntry.LOST : word(at + DirectoryEntry.OWNER), isLost ? 0 : word(at + DirectoryEntry.COPIES));
    }
  }

  public boolean isLost(int minipage) {
    return word(entryAt(minipage) + DirectoryEntry.OWNER) == DirectoryEntry.LOST;
  }

  // Results of verbs.

  public long found(int op) {
    return memory.get(ValueLayout.JAVA_LONG, opAt(op));
  }

  public long owner(int op) {
    return memory.get(ValueLayout.JAVA_LONG, opAt(op) + OP_OWNER);
  }

  public long copies(int op) {
    return memory.get(ValueLayout.JAVA_LONG, opAt(op) + OP_OWNER + Long.BYTES);
  }
}

package dev.weft.hca.netvm;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.packet.RoceV2;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The redirect buffer of an HCA: packets whose pages are absent wait here until the host has brought in the pages and copies the data (NetVM,
 * abstract). Each queue pair has an account for a number of packets. The free part of the account is the credit of its peer, so the buffer cannot
 * overflow. Used on the hardware thread only.
 *
 * <p>Invariants: the bytes of one page are copied in the order of their arrival; bytes for a former mapping are never copied.
 */
public final class RedirectBuffer {
  /** The action to run when the data of a packet, and of all earlier packets of its queue pair, is in memory. */
  @FunctionalInterface
  public interface Settled {
    /** {@code kept} is false if some of the packet's data was dropped because its memory had been unmapped. */
    void settled(boolean kept);
  }

  /** One packet: its redirected bytes, and the actions to run when they are copied. */
  private static final class Slot {
    final Account account;
    /** Null if no byte of the packet was redirected. */
    MemorySegment bytes;
    int used;
    int pieces;
    boolean dropped;
    final List<Settled> actions = new ArrayList<>(0);

    Slot(Account account) {
      this.account = account;
    }
  }

  private record Piece(Slot slot, int from, int length, int pageOffset, int generation) {}

  /** The packets of one queue pair. */
  public static final class Account {
    private final int packetsMax;
    private final Runnable freed;
    private int used;
    private boolean closed;
    private Slot open;
    /** The packets in the order of arrival. */
    private final ArrayDeque<Slot> inOrder = new ArrayDeque<>();

    private Account(int packetsMax, Runnable freed) {
      this.packetsMax = packetsMax;
      this.freed = freed;
    }

    /** The number of further packets that fit. */
    public int room() {
      return packetsMax - used;
    }

    /** The number of waiting packets. */
    public int used() {
      return used;
    }

    /** Begins a packet; bytes that are redirected from now on belong to it. */
    public void begin() {
      open = null;
    }

    /** Whether no packet waits. */
    public boolean isSettled() {
      return inOrder.isEmpty();
    }

    /** Runs {@code action} when the current packet and all earlier ones have been copied; at once if none waits. */
    public void afterCopies(Settled action) {
      if (isSettled()) {
        action.settled(true);
      } else {
        openSlot().actions.add(action);
      }
    }

    private Slot openSlot() {
      if (open == null) {
        if (room() <= 0) {
          throw new IllegalStateException("the account holds " + used + " packets, its credit was " + packetsMax);
        }
        open = new Slot(this);
        used++;
        inOrder.add(open);
      }
      return open;
    }
  }

  /** The header before the bytes of a datagram; it does not count against the limit. */
  private static final int HEADER_BYTES = RoceV2.GRH_LENGTH;

  private final int slotBytes;
  private final long bytesMax;
  private final int packetsMax;
  private final CopyCounter copies;
  private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();
  private final Long2ObjectHashMap<List<Piece>> pieces = new Long2ObjectHashMap<>();
  /** Accounts with packets whose last piece was copied or dropped. */
  private final ArrayDeque<Account> settling = new ArrayDeque<>();
  private int accounts;
  private int used;
  private int usedMax;
  private long redirectedPackets;
  private long redirectedBytes;
  private long refused;
  private long discarded;

  /**
   * Creates an empty buffer.
   *
   * @param slotBytes size of the longest packet
   * @param copies counts the bytes copied into and out of the buffer
   */
  public RedirectBuffer(int slotBytes, NetVmSettings settings, CopyCounter copies) {
    this.slotBytes = slotBytes;
    this.copies = copies;
    bytesMax = settings.redirectBytesMax();
    packetsMax = settings.redirectPackets();
  }

  /**
   * Opens an account for a queue pair. Returns null if the buffer has no room for another.
   *
   * @param freed called when packets of the account have been copied or dropped
   */
  public Account open(Runnable freed) {
    if ((long) (accounts + 1) * packetsMax * slotBytes > bytesMax) {
      return null;
    }
    accounts++;
    return new Account(packetsMax, freed);
  }

  /** Closes an account. Its waiting packets are still copied, because they have been acknowledged. */
  public void close(Account account) {
    account.closed = true;
    if (account.used == 0) {
      accounts--;
    }
  }

  /** Counts a packet that was rejected because its sender had no credit. */
  public void countRefusal() {
    refused++;
  }

  /** Keeps bytes for an absent page. The account must have room, or the packet must have a piece here already. */
  void add(Account account, long page, int pageOffset, int generation, Payload payload, int from, int length) {
    Slot slot = account.openSlot();
    if (slot.bytes == null) {
      slot.bytes = free.isEmpty() ? Arena.ofAuto().allocate(slotBytes + HEADER_BYTES, 8) : free.pop();
      usedMax = Math.max(usedMax, ++used);
      redirectedPackets++;
    }
    try {
      payload.copyTo(from, slot.bytes, slot.used, length, copies);
    } catch (PayloadLostException lost) {
      forget(account, slot);
      throw lost;
    }
    redirectedBytes += length;
    List<Piece> list = pieces.get(page);
    if (list == null) {
      list = new ArrayList<>();
      pieces.put(page, list);
    }
    list.add(new Piece(slot, slot.used, length, pageOffset, generation));
    slot.used += length;
    slot.pieces++;
  }

  /** Removes a packet of which no byte could be kept. */
  private void forget(Account account, Slot slot) {
    if (slot.pieces == 0) {
      account.inOrder.removeLast();
      account.used--;
      account.open = null;
      free.push(slot.bytes);
      used--;
    }
  }

  /** Returns the number of bytes that wait for a page. */
  long waitingBytes(long page) {
    List<Piece> list = pieces.get(page);
    return list == null ? 0 : list.stream().mapToLong(Piece::length).sum();
  }

  /**
   * Copies the waiting bytes of a page to its frame, but only those for the current mapping; returns whether there were any. Call {@link #settle}
   * when the page can be accessed.
   */
  boolean copy(long page, int generation, MemorySegment memory, long frameOffset) {
    List<Piece> list = pieces.remove(page);
    if (list == null) {
      return false;
    }
    boolean any = false;
    for (Piece piece : list) {
      if (piece.generation == generation) {
        MemorySegment.copy(piece.slot.bytes, piece.from, memory, frameOffset + piece.pageOffset, piece.length);
        copies.add(piece.length);
        any = true;
      }
    }
    close(list, generation);
    return any;
  }

  /** Drops the bytes that wait for former mappings of a page. */
  void discard(long page, int generation, boolean mapped) {
    List<Piece> list = pieces.get(page);
    if (list == null) {
      return;
    }
    List<Piece> stale = list.stream().filter(piece -> !mapped || piece.generation != generation).toList();
    list.removeAll(stale);
    if (list.isEmpty()) {
      pieces.remove(page);
    }
    close(stale, mapped ? generation : -1);
    settle();
  }

  private void close(List<Piece> done, int generation) {
    for (Piece piece : done) {
      boolean dropped = piece.generation != generation;
      discarded += dropped ? 1 : 0;
      piece.slot.dropped |= dropped;
      if (--piece.slot.pieces == 0) {
        settling.add(piece.slot.account);
      }
    }
  }

  /** Runs the actions of packets whose data is now in memory. */
  void settle() {
    for (Account account = settling.poll(); account != null; account = settling.poll()) {
      settle(account);
    }
  }

  private void settle(Account account) {
    boolean any = false;
    for (Slot slot = account.inOrder.peek(); slot != null && slot.pieces == 0; slot = account.inOrder.peek()) {
      if (account.open == slot) {
        account.open = null;
      }
      if (slot.bytes != null) {
        free.push(slot.bytes);
        used--;
      }
      account.inOrder.poll();
      account.used--;
      any = true;
      for (Settled action : slot.actions) {
        action.settled(!slot.dropped);
      }
    }
    if (any && account.closed) {
      accounts -= account.used == 0 ? 1 : 0;
    } else if (any) {
      account.freed.run();
    }
  }

  /** The current state, for inspection. */
  RedirectSnapshot snapshot() {
    return new RedirectSnapshot(slotBytes, packetsMax, accounts, used, usedMax, redirectedPackets, redirectedBytes, refused, discarded,
        pieces.size());
  }
}

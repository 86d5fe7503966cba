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
 * The system buffer of an HCA: packets whose pages are absent wait here until the host has brought the pages in and copies them (seed 004,
 * abstract). Each queue pair has an account of so many packets; what is free of it is the credit that its peer gets, so the buffer cannot
 * overflow. Confined to the hardware thread.
 *
 * <p>Invariants: bytes of one page are copied in the order of their arrival; what was meant for a former mapping is never copied.
 */
public final class RedirectBuffer {
  /** What is to be done when the data of a packet, and all that its queue pair brought before, is in memory. */
  @FunctionalInterface
  public interface Settled {
    /** {@code kept}: none of the packet's data was dropped because its memory had been unmapped. */
    void settled(boolean kept);
  }

  /** One packet: its bytes, if some are redirected, and what is to be done then. */
  private static final class Slot {
    final Account account;
    /** Null if nothing of the packet was redirected. */
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
    /** In the order of arrival. */
    private final ArrayDeque<Slot> inOrder = new ArrayDeque<>();

    private Account(int packetsMax, Runnable freed) {
      this.packetsMax = packetsMax;
      this.freed = freed;
    }

    /** Packets that still fit. */
    public int room() {
      return packetsMax - used;
    }

    /** Packets that wait. */
    public int used() {
      return used;
    }

    /** A packet arrives; what is redirected from now on is part of it. */
    public void begin() {
      open = null;
    }

    /** Whether nothing waits. */
    public boolean isSettled() {
      return inOrder.isEmpty();
    }

    /** Has {@code action} run when the present packet and every one before it has been copied: now if none waits. */
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

  /** What a datagram brings in front of its bytes; not counted in the bound. */
  private static final int HEADER_BYTES = RoceV2.GRH_LENGTH;

  private final int slotBytes;
  private final long bytesMax;
  private final int packetsMax;
  private final CopyCounter copies;
  private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();
  private final Long2ObjectHashMap<List<Piece>> pieces = new Long2ObjectHashMap<>();
  /** Accounts of which packets were copied or dropped. */
  private final ArrayDeque<Account> settling = new ArrayDeque<>();
  private int accounts;
  private int used;
  private int usedMax;
  private long redirectedPackets;
  private long redirectedBytes;
  private long refused;
  private long discarded;

  /**
   * An empty buffer.
   *
   * @param slotBytes the longest packet
   * @param copies takes the bytes copied, to here and from here
   */
  public RedirectBuffer(int slotBytes, NetVmSettings settings, CopyCounter copies) {
    this.slotBytes = slotBytes;
    this.copies = copies;
    bytesMax = settings.redirectBytesMax();
    packetsMax = settings.redirectPackets();
  }

  /**
   * An account for a queue pair, or null if the buffer has no room for another.
   *
   * @param freed called when packets of it were copied
   */
  public Account open(Runnable freed) {
    if ((long) (accounts + 1) * packetsMax * slotBytes > bytesMax) {
      return null;
    }
    accounts++;
    return new Account(packetsMax, freed);
  }

  /** Gives an account back. What waits in it is still copied: it was acknowledged. */
  public void close(Account account) {
    account.closed = true;
    if (account.used == 0) {
      accounts--;
    }
  }

  /** Counts a packet that came without a credit and was not taken. */
  public void countRefusal() {
    refused++;
  }

  /** Keeps bytes for an absent page; the account has room, or the packet has a part here already. */
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

  /** A packet of which nothing could be kept. */
  private void forget(Account account, Slot slot) {
    if (slot.pieces == 0) {
      account.inOrder.removeLast();
      account.used--;
      account.open = null;
      free.push(slot.bytes);
      used--;
    }
  }

  /** Bytes that wait for a page. */
  long waitingBytes(long page) {
    List<Piece> list = pieces.get(page);
    return list == null ? 0 : list.stream().mapToLong(Piece::length).sum();
  }

  /**
   * Copies what waits for a page to its frame, of the present mapping only; true if there was something. {@link #settle} is to be called
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

  /** Drops what waits for former mappings of a page. */
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

  /** Does what was to be done when data is in memory. */
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

  /** Its state, for inspection. */
  RedirectSnapshot snapshot() {
    return new RedirectSnapshot(slotBytes, packetsMax, accounts, used, usedMax, redirectedPackets, redirectedBytes, refused, discarded,
        pieces.size());
  }
}

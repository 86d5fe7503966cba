package dev.weft.hca.memory;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.netvm.NicPages.Outcome;
import dev.weft.hca.netvm.RedirectBuffer;
import dev.weft.hca.verbs.SgList;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Between the transport and memory that is not pinned: regions of the host's virtual memory, see {@link dev.weft.hca.netvm}. Without such
 * memory attached, nothing here costs more than a look at a field. Confined to the hardware thread.
 */
public final class UnpinnedMemory {
  private final Runnable afterwards;
  private volatile NicPages pages;
  /** Of the queue pair whose packet is being processed. */
  private RedirectBuffer.Account account;
  /** Of queue pairs that have something to send from absent pages. */
  private final ArrayDeque<UnpinnedUse> waiting = new ArrayDeque<>();

  /** None yet; {@code afterwards} runs when those that waited for pages were called. */
  public UnpinnedMemory(Runnable afterwards) {
    this.afterwards = afterwards;
  }

  public void attach(NicPages newPages) {
    pages = newPages;
  }

  public NicPages pages() {
    return pages;
  }

  boolean owns(MemorySegment segment) {
    NicPages now = pages;
    return now != null && now.vm().owns(segment);
  }

  // Accounts.

  /** Gives a queue pair credit if one of its domains has unpinned memory. */
  public void enroll(UnpinnedUse use, Pd pd, Pd receivePd) {
    if ((pd.unpinnedRegions == 0 && receivePd.unpinnedRegions == 0) || use.redirect != null) {
      return;
    }
    use.redirect = pages.redirect().open(use::onRoom);
    if (use.redirect == null) {
      throw new VerbsException(Errno.ENOMEM, "no room to redirect packets of another queue pair to; raise "
          + "weft.hca.netvm.redirect-buffer-max or lower redirect-packets");
    }
  }

  public void leave(UnpinnedUse use) {
    if (use.redirect != null) {
      pages.redirect().close(use.redirect);
      use.redirect = null;
    }
  }

  /** A packet of that queue pair is processed from now on. */
  public void begin(UnpinnedUse use) {
    account = use.redirect;
    if (account != null) {
      account.begin();
    }
  }

  /** Has {@code action} run when the packet that is being processed, and all before it on its queue pair, is in memory. */
  void afterCopies(RedirectBuffer.Settled action) {
    if (account == null) {
      action.settled(true);
    } else {
      account.afterCopies(action);
    }
  }

  /** Whether the packet that is being processed is in memory, and all before it on its queue pair. */
  boolean isSettled() {
    return account == null || account.isSettled();
  }

  /**
   * Whether there is no room for the packet, should its pages be absent; it came without credit, or nobody gives any. Also if they are
   * there: what comes of it may have to wait for what came before.
   */
  public boolean refuses(Packet packet) {
    return (packet.payload().length() > 0 || Opcode.hasImmDt(packet.opcode())) && refuses();
  }

  /** The same for a packet that writes even if it is empty, as a datagram does its header. */
  public boolean refuses() {
    if (account == null || account.room() > 0) {
      return false;
    }
    pages.redirect().countRefusal();
    return true;
  }

  // Transfers.

  private static long address(Mr mr, long address) {
    return mr.segment().address() + address - mr.addr();
  }

  /** Whether regions of the list are unpinned. */
  public boolean hasAny(SgList list, Mr[] regions) {
    return pages != null && any(list, regions);
  }

  private static boolean any(SgList list, Mr[] regions) {
    for (int i = 0; i < list.count(); i++) {
      if (list.length(i) > 0 && regions[i].isUnpinned()) {
        return true;
      }
    }
    return false;
  }

  boolean place(Payload payload, Mr mr, long address) {
    return place(payload, 0, mr, address, payload.length());
  }

  private boolean place(Payload payload, int from, Mr mr, long address, int length) {
    return account != null && pages.place(account, payload, from, address(mr, address), length);
  }

  /** What is done with the part of one region. */
  private interface Piece {
    /** {@code done} bytes came before it. False ends the walk. */
    boolean visit(Mr mr, long address, int done, int length);
  }

  /** Walks over part of a list, region by region; false if a piece ended it. */
  private static boolean walk(SgList list, Mr[] regions, long offset, int count, Piece piece) {
    long skip = offset;
    int done = 0;
    for (int i = 0; done < count; i++) {
      if (skip >= list.length(i)) {
        skip -= list.length(i);
        continue;
      }
      int here = (int) Math.min(count - done, list.length(i) - skip);
      if (!piece.visit(regions[i], list.address(i) + skip, done, here)) {
        return false;
      }
      done += here;
      skip = 0;
    }
    return true;
  }

  /** As {@link GatherList#scatter}; false if memory is not mapped. */
  boolean scatter(Payload payload, SgList list, Mr[] regions, long offset, CopyCounter copies) {
    return walk(list, regions, offset, payload.length(), (mr, to, done, here) -> {
      if (mr.isUnpinned()) {
        return place(payload, done, mr, to, here);
      }
      payload.copyTo(done, mr.segment(), to - mr.addr(), here, copies);
      return true;
    });
  }

  /** Whether a range may be accessed; if not yet, the queue pair will be active again when it may. */
  public Outcome look(UnpinnedUse use, Mr mr, long address, long length) {
    Outcome outcome = mr.isUnpinned() && length > 0 ? pages.look(address(mr, address), length) : Outcome.DONE;
    if (outcome == Outcome.ABSENT) {
      await(use);
    }
    return outcome;
  }

  private void await(UnpinnedUse use) {
    if (!use.awaitsPage) {
      use.awaitsPage = true;
      waiting.add(use);
    }
  }

  /** The same for part of a scatter/gather list: the worst of its pieces, all of which are asked for. */
  public Outcome look(UnpinnedUse use, SgList list, Mr[] regions, long offset, int count) {
    Outcome[] worst = {Outcome.DONE};
    walk(list, regions, offset, count, (mr, address, done, here) -> {
      Outcome outcome = look(use, mr, address, here);
      worst[0] = outcome.compareTo(worst[0]) > 0 ? outcome : worst[0];
      return true;
    });
    return worst[0];
  }

  /** Asks for the pages that a read or an atomic will place its answer in. */
  public void prefetch(SgList list, Mr[] regions) {
    for (int i = 0; i < list.count(); i++) {
      if (list.length(i) > 0 && regions[i].isUnpinned()) {
        pages.prefetch(address(regions[i], list.address(i)), list.length(i));
      }
    }
  }

  public void prefetch(Mr mr, long address, long length) {
    pages.prefetch(address(mr, address), length);
  }

  /** Waits until each page of a range has been there. Not on the hardware thread. */
  void bringIn(MemorySegment range) {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    pages.vm().bringIn(range, end::complete);
    boolean whole;
    try {
      whole = end.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VerbsException(Errno.EINTR, "interrupted while waiting for virtual memory");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    if (!whole) {
      throw new VerbsException(Errno.EFAULT, "some of the " + range.byteSize() + " bytes from 0x" + Long.toHexString(range.address())
          + " are not mapped any more, or were lost");
    }
  }

  /** As {@link GatherList#payload}, locking pages until the packet is released; null if one went since it was looked at. */
  public Payload gather(SgList list, Mr[] regions, long offset, int count) {
    NicPages.Gather gather = pages.gather();
    boolean whole = walk(list, regions, offset, count, (mr, from, done, here) -> {
      if (mr.isUnpinned()) {
        return gather.addLocked(address(mr, from), here, mr.loan());
      }
      gather.add(mr.segment(), from - mr.addr(), here, mr.loan());
      return true;
    });
    return whole ? gather.payload() : null;
  }

  /** A range of one region as a payload, its pages locked; null if one went since it was looked at. */
  public Payload gather(Mr mr, long address, int count) {
    NicPages.Gather gather = pages.gather();
    return gather.addLocked(address(mr, address), count, mr.loan()) ? gather.payload() : null;
  }

  /** A copy of part of a list; null if a page went since it was looked at. */
  public Payload copy(SgList list, Mr[] regions, long offset, MemorySegment into, CopyCounter copies) {
    Payload locked = gather(list, regions, offset, (int) into.byteSize());
    if (locked == null) {
      return null;
    }
    try {
      locked.copyTo(into, 0, copies);
    } finally {
      locked.release();
    }
    return Payload.of(into, 0, (int) into.byteSize());
  }

  /** Locks the page of a word until {@link #drop}; if it is absent, the queue pair will be active again when it is not. */
  public Outcome hold(UnpinnedUse use, Mr mr, long address) {
    Outcome outcome = pages.hold(address(mr, address));
    if (outcome == Outcome.ABSENT) {
      await(use);
    }
    return outcome;
  }

  public void drop() {
    pages.drop();
  }

  /** Runs an atomic on a word whose page is held. */
  long onWord(Mr mr, long address, NicPages.WordAction action) {
    return pages.onWord(address(mr, address), action);
  }

  /** Pages came or went: whoever waits looks again. */
  public void woken() {
    for (UnpinnedUse use = waiting.poll(); use != null; use = waiting.poll()) {
      use.awaitsPage = false;
      use.onPages();
    }
    afterwards.run();
  }
}

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
 * The transport's access to unpinned memory: regions of the host's virtual memory, see {@link dev.weft.hca.netvm}. If no such memory is attached, each
 * call costs only the check of a field. Used on the hardware thread only.
 */
public final class UnpinnedMemory {
  private final Runnable afterwards;
  private volatile NicPages pages;
  /** The account of the queue pair whose packet is being processed. */
  private RedirectBuffer.Account account;
  /** The queue pairs that have data to send from absent pages. */
  private final ArrayDeque<UnpinnedUse> waiting = new ArrayDeque<>();

  /** Creates an instance without attached memory. {@code afterwards} runs after the queue pairs that waited for pages were called. */
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

  /** Opens an account for a queue pair, which gives its peer credit, if one of its domains has unpinned memory. */
  public void enroll(UnpinnedUse use, Pd pd, Pd receivePd) {
    if ((pd.unpinnedRegions == 0 && receivePd.unpinnedRegions == 0) || use.redirect != null) {
      return;
    }
    use.redirect = pages.redirect().open(use::onRoom);
    if (use.redirect == null) {
      throw new VerbsException(Errno.ENOMEM, "the redirect buffer has no room for another queue pair; raise "
          + "weft.hca.netvm.redirect-buffer-max or lower weft.hca.netvm.redirect-packets");
    }
  }

  public void leave(UnpinnedUse use) {
    if (use.redirect != null) {
      pages.redirect().close(use.redirect);
      use.redirect = null;
    }
  }

  /** Begins the processing of a packet of that queue pair. */
  public void begin(UnpinnedUse use) {
    account = use.redirect;
    if (account != null) {
      account.begin();
    }
  }

  /** Runs {@code action} when the current packet and all earlier ones of its queue pair are in memory. */
  void afterCopies(RedirectBuffer.Settled action) {
    if (account == null) {
      action.settled(true);
    } else {
      account.afterCopies(action);
    }
  }

  /** Whether the current packet and all earlier ones of its queue pair are in memory. */
  boolean isSettled() {
    return account == null || account.isSettled();
  }

  /**
   * Whether the packet must be rejected because the buffer has no room for it. That happens if the peer had no credit. The pages of the packet may be
   * present, but its completion may have to wait for earlier packets, so it needs room in any case.
   */
  public boolean refuses(Packet packet) {
    return (packet.payload().length() > 0 || Opcode.hasImmDt(packet.opcode())) && refuses();
  }

  /** Like {@link #refuses(Packet)}, for a packet that writes even without payload, such as a datagram, whose header is written. */
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

  /** An action on the part of a list that is in one region. */
  private interface Piece {
    /** {@code done} is the number of bytes before this part. Returning false ends the walk. */
    boolean visit(Mr mr, long address, int done, int length);
  }

  /** Visits a part of a list, region by region; returns false if a visit ended the walk. */
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

  /** Like {@link GatherList#scatter}; returns false if memory is not mapped. */
  boolean scatter(Payload payload, SgList list, Mr[] regions, long offset, CopyCounter copies) {
    return walk(list, regions, offset, payload.length(), (mr, to, done, here) -> {
      if (mr.isUnpinned()) {
        return place(payload, done, mr, to, here);
      }
      payload.copyTo(done, mr.segment(), to - mr.addr(), here, copies);
      return true;
    });
  }

  /** Checks whether a range may be accessed. If its pages are absent, the queue pair becomes active again when they are present. */
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

  /** Checks a part of a scatter/gather list in the same way. Requests the absent pages of all pieces and returns the worst outcome. */
  public Outcome look(UnpinnedUse use, SgList list, Mr[] regions, long offset, int count) {
    Outcome[] worst = {Outcome.DONE};
    walk(list, regions, offset, count, (mr, address, done, here) -> {
      Outcome outcome = look(use, mr, address, here);
      worst[0] = outcome.compareTo(worst[0]) > 0 ? outcome : worst[0];
      return true;
    });
    return worst[0];
  }

  /** Requests the pages into which the response of a read or an atomic will be placed. */
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

  /** Waits until each page of a range has been present once. Not on the hardware thread. */
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

  /** Like {@link GatherList#payload}, but locks the pages until the packet is released. Returns null if a page is absent again since {@link #look}. */
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

  /** Returns a range of one region as a payload and locks its pages; null if a page is absent again since {@link #look}. */
  public Payload gather(Mr mr, long address, int count) {
    NicPages.Gather gather = pages.gather();
    return gather.addLocked(address(mr, address), count, mr.loan()) ? gather.payload() : null;
  }

  /** Returns a copy of a part of a list; null if a page is absent again since {@link #look}. */
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

  /** Locks the page of a word until {@link #drop}. If the page is absent, the queue pair becomes active again when it is present. */
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

  /** Runs an atomic on a word whose page {@link #hold} has locked. */
  long onWord(Mr mr, long address, NicPages.WordAction action) {
    return pages.onWord(address(mr, address), action);
  }

  /** Calls the waiting queue pairs because pages have become present or were unmapped. */
  public void woken() {
    for (UnpinnedUse use = waiting.poll(); use != null; use = waiting.poll()) {
      use.awaitsPage = false;
      use.onPages();
    }
    afterwards.run();
  }
}

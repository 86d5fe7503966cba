package dev.weft.tripwire.driver;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Payload;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;

/**
 * The receive-side page table of an aperture (CLAN, section 9, asks for it): the place of each page in this host's memory, and the rights of others
 * to it. Pages need not be contiguous. Hardware thread.
 */
public final class ApertureMemory {
  static final int PAGE_SHIFT = 12;
  static final int PAGE = 1 << PAGE_SHIFT;
  /** Represents any other thread; never started. */
  private static final Thread HARDWARE = Thread.ofPlatform().unstarted(() -> { });

  private final long length;
  /** All pages in order, until the first page is moved or protected. */
  private MemorySegment whole;
  private final int wholeRights;
  private MemorySegment[] pages;
  private byte[] rights;

  public ApertureMemory(MemorySegment whole, int rights) {
    this.whole = whole;
    this.wholeRights = rights;
    length = whole.byteSize();
  }

  /** Refuses memory that this NIC cannot access. Any thread. */
  static void checkShared(MemorySegment segment) {
    if (!segment.isAccessibleBy(HARDWARE)) {
      throw new NicException(Status.INVALID, "the memory is confined to one thread, or names virtual memory of the host, which this NIC "
          + "cannot translate: allocate it from a shared or automatic Arena, or register it with the HCA");
    }
  }

  long length() {
    return length;
  }

  private void toPages() {
    if (pages != null) {
      return;
    }
    int count = (int) (length + PAGE - 1 >>> PAGE_SHIFT);
    pages = new MemorySegment[count];
    rights = new byte[count];
    for (int i = 0; i < count; i++) {
      pages[i] = whole.asSlice((long) i << PAGE_SHIFT, pageLength(i));
      rights[i] = (byte) wholeRights;
    }
    whole = null;
  }

  private long pageLength(int page) {
    return Math.min(PAGE, length - ((long) page << PAGE_SHIFT));
  }

  private int firstPage(long offset, long count) {
    if (offset < 0 || count < 1 || offset > length - count || (offset & PAGE - 1) != 0
        || ((count & PAGE - 1) != 0 && offset + count != length)) {
      throw new NicException(Status.INVALID, "bytes " + offset + " to " + (offset + count) + " of " + length
          + " are not whole pages of " + PAGE + " bytes of the aperture");
    }
    return (int) (offset >>> PAGE_SHIFT);
  }

  /** Replaces the memory of whole pages. */
  void remap(long offset, MemorySegment memory) {
    int first = firstPage(offset, memory.byteSize());
    toPages();
    for (long at = 0; at < memory.byteSize(); at += PAGE) {
      int page = first + (int) (at >>> PAGE_SHIFT);
      pages[page] = memory.asSlice(at, pageLength(page));
    }
  }

  /** Changes the rights of others to whole pages. */
  void protect(long offset, long count, int newRights) {
    int first = firstPage(offset, count);
    toPages();
    for (int page = first; (long) page << PAGE_SHIFT < offset + count; page++) {
      rights[page] = (byte) newRights;
    }
  }

  /** Returns OK if the whole range may be used with this right. */
  public Status check(long offset, long count, int right) {
    if (offset < 0 || count < 0 || offset > length - count) {
      return Status.OUT_OF_RANGE;
    }
    if (whole != null) {
      return !whole.scope().isAlive() ? Status.REVOKED : (wholeRights & right) == 0 ? Status.DENIED : Status.OK;
    }
    for (long page = offset >>> PAGE_SHIFT; page << PAGE_SHIFT < offset + count; page++) {
      if ((rights[(int) page] & right) == 0) {
        return Status.DENIED;
      }
      if (!pages[(int) page].scope().isAlive()) {
        return Status.REVOKED;
      }
    }
    return Status.OK;
  }

  /**
   * Copies a payload to its place.
   *
   * @throws IllegalStateException if the sender, or the owner of the memory, has freed its bytes meanwhile; a TargetLostException if the memory
   *     has no pages any more
   * @throws dev.weft.fabric.packet.PayloadLostException if the sender's bytes are gone for another reason
   */
  public void place(Payload payload, long offset, CopyCounter copies) {
    if (whole != null) {
      payload.copyTo(whole, offset, copies);
      return;
    }
    int done = 0;
    while (done < payload.length()) {
      int page = (int) (offset + done >>> PAGE_SHIFT);
      int within = (int) (offset + done) & PAGE - 1;
      int count = Math.min(payload.length() - done, PAGE - within);
      payload.copyTo(done, pages[page], within, count, copies);
      done += count;
    }
  }

  /** A burst of these bytes, or of the first of them. */
  public Payload burst(long offset, int count) {
    if (whole != null) {
      return Payload.of(whole, offset, count);
    }
    int page = (int) (offset >>> PAGE_SHIFT);
    int within = (int) offset & PAGE - 1;
    return Payload.of(pages[page], within, Math.min(count, PAGE - within));
  }
}

package dev.weft.dsm.access;

import dev.weft.dsm.access.Announcements.Slot;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.function.Consumer;

/** The common part of arrays of all types: the addresses of elements, and how a thread gets the right to them. Any thread. */
abstract class CheckedArray {
  /**
   * All memory, so that the compiler knows its bounds and that it always exists. This class checks indices, and objects that access {@link #frames}
   * keep them alive.
   */
  static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  final MemorySegment frames;
  /** Address of the first element. */
  final long base;
  /** Offset of the array in the frames. */
  final long start;
  private final PageTable table;
  private final Announcements announcements;
  private final Faulting faulting;
  private final long length;
  private final int elementBytes;
  private final long strideBytes;
  /** The stride is two to the power of this; -1 if the stride is not a power of two. */
  private final int shift;
  private final int first;
  private final boolean isReleaseConsistent;
  /** Slot of the thread that used this array last; a thread notices if the slot is not its own. */
  private Slot slot;

  CheckedArray(PageTable table, MemorySegment frames, Announcements announcements, Faulting faulting) {
    table.useChecked();
    this.table = table;
    this.frames = frames;
    this.announcements = announcements;
    this.faulting = faulting;
    this.start = table.spec().offset();
    this.base = frames.address() + start;
    this.length = table.spec().length();
    this.elementBytes = table.spec().kind().elementBytes();
    this.strideBytes = table.spec().strideBytes();
    this.shift = Long.bitCount(strideBytes) == 1 ? Long.numberOfTrailingZeros(strideBytes) : -1;
    this.first = table.spec().firstMinipage();
    this.isReleaseConsistent = table.spec().isReleaseConsistent();
  }

  public final long length() {
    return length;
  }

  /** Returns the index, after checking that the element exists. */
  final long checked(long index) {
    return Objects.checkIndex(index, length);
  }

  /** Throws UnsupportedOperationException if other nodes may write the same element at the same time. */
  final void requireAtomics() {
    if (isReleaseConsistent) {
      throw new UnsupportedOperationException("\"" + table.spec().name() + "\" has release consistency, where one step on one element is not atomic for other "
          + "nodes; take a lock, or allocate it with sequential consistency");
    }
  }

  /** Index of the minipage in the array. */
  final int pageOf(long offset) {
    return shift >= 0 ? (int) (offset >>> shift) : (int) (offset / strideBytes);
  }

  final boolean mayRead(int page) {
    try {
      return (byte) PageTable.BYTE.getAcquire(MEMORY, table.addressOf(page)) != Rights.NONE;
    } finally {
      Reference.reachabilityFence(table);
    }
  }

  /**
   * Gets this thread the right to write one element until {@link #endWrite}: announces the write if this node may write the minipage, else waits
   * until it may and holds the minipage.
   *
   * @return the slot of the announced write; null if the minipage is held
   */
  final Slot beginWrite(long offset) {
    Slot mine = mine();
    if (mayWrite(mine, pageOf(offset))) {
      return mine;
    }
    hold(offset, offset, Rights.WRITE);
    return null;
  }

  /** @param announced what {@link #beginWrite} returned */
  final void endWrite(Slot announced) {
    if (announced != null) {
      announced.wrote();
    } else {
      letGo();
    }
  }

  /** Announces a write. If this returns true, the write ends by {@link Slot#wrote}. */
  private boolean mayWrite(Slot mine, int page) {
    mine.writes(first + page);
    try {
      if ((byte) PageTable.BYTE.getOpaque(MEMORY, table.addressOf(page)) == Rights.WRITE) {
        return true;
      }
    } finally {
      Reference.reachabilityFence(table);
    }
    mine.wrote();
    return false;
  }

  final Slot mine() {
    Slot last = slot;
    if (last != null && last.thread == Thread.currentThread()) {
      return last;
    }
    Slot own = announcements.mine();
    slot = own; // Not read again: another thread may have stored its own slot there.
    return own;
  }

  /**
   * Waits until this node has the minipages of the bytes from {@code firstByte} to {@code lastByte}, and holds them until {@link #letGo}. Threads
   * take minipages in the order of their numbers, so threads that hold some and wait for more cannot wait for each other.
   */
  final void hold(long firstByte, long lastByte, byte wanted) {
    int from = pageOf(firstByte);
    int to = pageOf(lastByte);
    Slot mine = mine();
    mine.inPlace.requireOutside();
    int page = from;
    while (page <= to) {
      mine.hold(first + from, first + page, wanted);
      if (table.rights(page) >= wanted) {
        table.took(page++);
      } else {
        await(mine, from, page, wanted, firstByte, lastByte);
      }
    }
    mine.waitsNoMore();
  }

  private void await(Slot mine, int from, int page, byte wanted, long firstByte, long lastByte) {
    if (page == from) {
      mine.letGo();
    } else {
      mine.hold(first + from, first + page - 1, wanted);
    }
    tellThatLeft();
    boolean isThere = false;
    try {
      table.requireThere();
      mine.waits(first + page, wanted);
      long begin = page * strideBytes;
      faulting.await(table, page, wanted, word(Math.max(firstByte - begin, 0)), word(Math.min(lastByte - begin, strideBytes - 1)));
      isThere = true;
    } finally {
      if (!isThere) {
        mine.waitsNoMore();
        letGo();
      }
    }
  }

  private static int word(long offset) {
    return (int) Math.min(offset >> 3, Integer.MAX_VALUE);
  }

  /** Ends {@link #hold}. */
  final void letGo() {
    mine().letGo();
    tellThatLeft();
  }

  private void tellThatLeft() {
    if (faulting.isWaitedFor()) {
      faulting.left();
    }
  }

  /** Holds the minipages of a range of elements; returns false if the range is empty. */
  final boolean holdRange(long index, long count, byte wanted) {
    Objects.checkFromIndexSize(index, count, length);
    if (count == 0) {
      return false;
    }
    int from = pageOf(index * elementBytes);
    int to = pageOf((index + count - 1) * elementBytes);
    if (from < to && wanted == Rights.READ && table.rights(to) == Rights.NONE && faulting.asksForAllAtOnce()) {
      faulting.prefetch(table, from, to - from + 1); // Requests all minipages at once, not one after the other.
    }
    hold(index * elementBytes, (index + count) * elementBytes - 1, wanted);
    return true;
  }

  public final void readInPlace(long index, long count, Consumer<? super MemorySegment> use) {
    inPlace(index, count, Rights.READ, use);
  }

  public final void writeInPlace(long index, long count, Consumer<? super MemorySegment> use) {
    inPlace(index, count, Rights.WRITE, use);
  }

  private void inPlace(long index, long count, byte wanted, Consumer<? super MemorySegment> use) {
    Objects.requireNonNull(use, "use");
    if (holdRange(index, count, wanted)) {
      try {
        mine().inPlace.call(frames.asSlice(start + index * elementBytes, count * elementBytes), wanted == Rights.READ, use);
      } finally {
        Reference.reachabilityFence(frames);
        letGo();
      }
    }
  }

  public final void prefetch(long index, long count) {
    Objects.checkFromIndexSize(index, count, length);
    table.requireThere();
    if (count > 0) {
      int from = pageOf(index * elementBytes);
      faulting.prefetch(table, from, pageOf((index + count - 1) * elementBytes) - from + 1);
    }
  }

  public final void push(long index, long count) {
    Objects.checkFromIndexSize(index, count, length);
    table.requireThere();
    if (count > 0) {
      int from = pageOf(index * elementBytes);
      faulting.push(table, from, pageOf((index + count - 1) * elementBytes) - from + 1);
    }
  }
}

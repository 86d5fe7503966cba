package dev.weft.lab.seed001;

import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.lab.hosts.SwapProfile;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The memory of one machine: frames shared by the arrays of its programs, and what happens when they run short. A page is
 * empty, mapped, cached (in a frame, unmapped: read ahead, or being written), being read, or swapped. Victims are chosen by
 * second chance; dirty ones get slots next to each other and leave in requests as long as the device allows; clean ones with
 * a copy on the device are dropped. A fault reads the used slots of its aligned window of 2^page-cluster.
 *
 * <p>An allocation that finds fewer than {@code pages-min} frames free launders a batch itself and waits for it. With
 * background reclaim a kernel thread starts at {@code pages-low} and goes on until {@code pages-high}.
 *
 * <p>Used by whoever holds the baton; completions run on the simulation's loop.
 */
public final class SwappedMemory {
  static final int PAGE_BYTES = 4096;
  static final byte MAPPED = 1;
  static final byte REFERENCED = 2;
  static final byte DIRTY = 4;
  private static final int REQUEST_BYTES_MAX = 128 << 10;
  private static final int NO_SLOT = SlotMap.NONE;
  /** Frames that must stay free for a batch to be laundered at all. */
  private static final int PAGES_MIN_LEAST = 2;

  private enum State {
    EMPTY,
    MAPPED,
    CACHED,
    READING,
    SWAPPED
  }

  private final SwapProfile profile;
  private final SwapDevice swap;
  private final SlotMap slotMap;
  private final PageRing ring = new PageRing(0);
  private final List<PagedInts> arrays = new ArrayList<>();
  private final List<AppThread> waiters = new ArrayList<>();
  private final SwapStats stats = new SwapStats();
  private final AppThread kswapd;
  private final int frames;
  private final int pagesMin;
  private final int pagesLow;
  private final int pagesHigh;
  private State[] states = new State[0];
  private boolean[] isWriting = new boolean[0];
  private int[] slots = new int[0];
  private int[] arrayOf = new int[0];
  /** Pages of the request that a page came with. */
  private int[] cameWith = new int[0];
  private int free;

  /**
   * A memory of {@code frames} pages.
   *
   * @param scale by how much the machine is smaller than the real one; water marks and slot clusters shrink with it
   * @param swap null if everything fits; then running out of frames fails the run
   * @param hasBackgroundReclaim whether a kernel thread keeps frames free
   */
  public SwappedMemory(SwapProfile profile, int frames, int scale, SwapDevice swap, boolean hasBackgroundReclaim, AppThreads threads) {
    this.profile = profile;
    this.frames = frames;
    this.free = frames;
    this.swap = swap;
    this.pagesMin = mark("kernel.pages-min", scale, 1);
    this.pagesLow = mark("kernel.pages-low", scale, 2);
    this.pagesHigh = mark("kernel.pages-high", scale, 3);
    int batch = profile.count("kernel.reclaim-batch");
    if (frames < pagesHigh + 4 * batch) {
      throw new IllegalArgumentException(frames + " frames are too few for batches of " + batch + "; use a smaller scale");
    }
    slotMap = swap == null ? null : new SlotMap((int) (swap.device().sizeBytes() / PAGE_BYTES),
        Math.max(batch, profile.count("kernel.slot-cluster") / scale));
    kswapd = hasBackgroundReclaim && swap != null ? threads.start("kswapd", this::runKswapd).asDaemon() : null;
  }

  private int mark(String path, int scale, int times) {
    return Math.max(times * PAGES_MIN_LEAST, profile.count(path) / scale);
  }

  public SwapStats stats() {
    return stats;
  }

  /** Frames that hold nothing. */
  public int freeFrames() {
    return free;
  }

  /** An array of {@code length} ints for a thread; its pages are empty and read as zero. */
  public PagedInts allocate(AppThread thread, int length) {
    int first = states.length;
    int pages = (length + PagedInts.WORDS_PER_PAGE - 1) / PagedInts.WORDS_PER_PAGE;
    int total = first + pages;
    states = Arrays.copyOf(states, total);
    Arrays.fill(states, first, total, State.EMPTY);
    isWriting = Arrays.copyOf(isWriting, total);
    slots = Arrays.copyOf(slots, total);
    Arrays.fill(slots, first, total, NO_SLOT);
    arrayOf = Arrays.copyOf(arrayOf, total);
    Arrays.fill(arrayOf, first, total, arrays.size());
    cameWith = Arrays.copyOf(cameWith, total);
    ring.grow(total);
    PagedInts array = new PagedInts(this, thread, first, length, new byte[pages]);
    arrays.add(array);
    return array;
  }

  private PagedInts array(int page) {
    return arrays.get(arrayOf[page]);
  }

  private boolean has(int page, byte flag) {
    PagedInts array = array(page);
    return (array.flags()[page - array.firstPage()] & flag) != 0;
  }

  private void put(int page, byte flag, boolean value) {
    PagedInts array = array(page);
    int index = page - array.firstPage();
    array.flags()[index] = (byte) (value ? array.flags()[index] | flag : array.flags()[index] & ~flag);
  }

  // ---- faults ---------------------------------------------------------------------------------------------------------

  /** Returns when the page is mapped; the caller holds the baton and uses it at once. */
  void fault(AppThread thread, PagedInts array, int page) {
    boolean major = false;
    thread.compute(profile.us("kernel.fault"));
    while (states[page] != State.MAPPED) {
      switch (states[page]) {
        case EMPTY -> {
          awaitFrames(thread, 1);
          free--;
          map(page);
        }
        case CACHED -> {
          if (ring.contains(page)) {
            ring.remove(page);
          }
          map(page);
          if (!isWriting[page] && slotMap.isHalfFull() && slots[page] != NO_SLOT) {
            slotMap.release(slots[page]);
            slots[page] = NO_SLOT;
            put(page, DIRTY, true);
          }
        }
        case READING -> {
          major = true;
          long from = thread.nowNs();
          await(thread);
          stats.readWaitNs += thread.nowNs() - from;
          if (states[page] != State.READING) {
            unblocked(thread);
            copied(thread, page);
          }
        }
        case SWAPPED -> {
          major = true;
          readAround(thread, page);
        }
        case MAPPED -> { }
      }
    }
    if (major) {
      stats.majorFaults++;
    } else {
      stats.minorFaults++;
    }
  }

  private void map(int page) {
    states[page] = State.MAPPED;
    put(page, MAPPED, true);
    put(page, REFERENCED, true);
    ring.addLast(page);
  }

  private void await(AppThread thread) {
    waiters.add(thread);
    thread.park();
    waiters.remove(thread);
  }

  private void wakeWaiters() {
    for (AppThread waiter : waiters) {
      waiter.unpark();
    }
  }

  private void unblocked(AppThread thread) {
    thread.compute(swap.completionNs() + profile.us("kernel.schedule"));
  }

  /** The driver copies what arrived to its pages; whoever waits for one of them waits for that, too. */
  private void copied(AppThread thread, int page) {
    if (swap.isCopied()) {
      thread.compute(profile.transferNs("memory.copy-rate", (long) cameWith[page] * PAGE_BYTES));
    }
  }

  private void readAround(AppThread thread, int page) {
    int window = 1 << profile.count("kernel.page-cluster");
    awaitFrames(thread, window);
    if (states[page] != State.SWAPPED) {
      return;
    }
    int from = slots[page] & -window;
    int to = Math.min(from + window, slotMap.slots());
    List<int[]> runs = new ArrayList<>();
    for (int slot = from; slot < to; slot++) {
      int owner = slotMap.owner(slot);
      if (owner == SlotMap.NONE || states[owner] != State.SWAPPED) {
        continue;
      }
      states[owner] = State.READING;
      free--;
      int[] last = runs.isEmpty() ? null : runs.getLast();
      if (last != null && last[1] == slot) {
        last[1]++;
      } else {
        runs.add(new int[] {slot, slot + 1});
      }
      stats.pagesIn++;
      stats.pagesReadAhead += owner == page ? 0 : 1;
    }
    for (int[] run : runs) {
      int[] pages = new int[run[1] - run[0]];
      for (int i = 0; i < pages.length; i++) {
        pages[i] = slotMap.owner(run[0] + i);
        cameWith[pages[i]] = pages.length;
      }
      read(thread, run[0], pages);
    }
  }

  private void read(AppThread thread, int slot, int[] pages) {
    stats.readRequests++;
    thread.compute(profile.us("kernel.request"));
    BlockDevice.Buffer buffer = acquire(thread, pages.length);
    swap.device().read((long) slot * PAGE_BYTES, buffer, errno -> {
      check(errno, "read");
      for (int i = 0; i < pages.length; i++) {
        PagedInts array = array(pages[i]);
        copy(buffer.segment(), i, array, pages[i], true);
        states[pages[i]] = State.CACHED;
        ring.addLast(pages[i]);
      }
      buffer.release();
      wakeWaiters();
    });
  }

  private BlockDevice.Buffer acquire(AppThread thread, int pages) {
    while (true) {
      boolean[] isAvailable = {false};
      BlockDevice.Buffer buffer = swap.device().tryAcquire(pages * PAGE_BYTES, () -> {
        isAvailable[0] = true;
        thread.unpark();
      });
      if (buffer != null) {
        return buffer;
      }
      while (!isAvailable[0]) {
        thread.park();
      }
    }
  }

  private static void check(int errno, String what) {
    if (errno != Errno.OK) {
      throw new IllegalStateException("the swap device failed a " + what + " with errno " + errno);
    }
  }

  private static void copy(MemorySegment buffer, int index, PagedInts array, int page, boolean toArray) {
    int from = (page - array.firstPage()) * PagedInts.WORDS_PER_PAGE;
    int count = Math.min(PagedInts.WORDS_PER_PAGE, array.length() - from);
    long offset = (long) index * PAGE_BYTES;
    if (toArray) {
      MemorySegment.copy(buffer, ValueLayout.JAVA_INT_UNALIGNED, offset, array.words(), from, count);
    } else {
      MemorySegment.copy(array.words(), from, buffer, ValueLayout.JAVA_INT_UNALIGNED, offset, count);
    }
  }

  // ---- frames ---------------------------------------------------------------------------------------------------------

  /** Returns when {@code count} frames can be taken without going below the lowest mark. */
  private void awaitFrames(AppThread thread, int count) {
    if (swap == null) {
      if (free < count) {
        throw new IllegalStateException("the programs need more than the " + frames + " frames, and there is nothing to swap to");
      }
      return;
    }
    long from = thread.nowNs();
    if (kswapd != null && free - count < pagesLow) {
      kswapd.unpark();
    }
    while (free - count < pagesMin) {
      reclaim(thread);
    }
    stats.frameWaitNs += thread.nowNs() - from;
  }

  private void runKswapd(AppThread thread) {
    while (true) {
      thread.park();
      while (free < pagesHigh) {
        reclaim(thread);
      }
    }
  }

  /** Launders one batch and waits for it. */
  private void reclaim(AppThread thread) {
    int[] victims = chooseVictims();
    if (victims.length == 0) {
      // Everything is on its way to the device already: wait for some of it.
      await(thread);
      return;
    }
    thread.compute(victims.length * profile.us("kernel.evict"));
    List<Integer> dirty = new ArrayList<>();
    for (int page : victims) {
      if (slots[page] != NO_SLOT && !has(page, DIRTY) && states[page] == State.CACHED) {
        drop(page);
      } else if (states[page] == State.CACHED) {
        dirty.add(page);
      } else {
        isWriting[page] = false; // taken back by a fault meanwhile
      }
    }
    int[] left = {0};
    launder(thread, dirty, left);
    if (left[0] > 0) {
      while (left[0] > 0) {
        await(thread);
      }
      unblocked(thread);
    }
  }

  /** Unmaps up to a batch of pages that were not used since the hand last passed. */
  private int[] chooseVictims() {
    int[] victims = new int[profile.count("kernel.reclaim-batch")];
    int count = 0;
    for (int looks = 2 * ring.size(); looks > 0 && count < victims.length; looks--) {
      int page = ring.head();
      ring.remove(page);
      if (has(page, REFERENCED) || isWriting[page]) {
        put(page, REFERENCED, false);
        ring.addLast(page);
        continue;
      }
      states[page] = State.CACHED;
      isWriting[page] = true;
      put(page, MAPPED, false);
      victims[count++] = page;
    }
    return Arrays.copyOf(victims, count);
  }

  private void drop(int page) {
    isWriting[page] = false;
    states[page] = State.SWAPPED;
    array(page).poison(page);
    free++;
    stats.pagesDropped++;
    wakeWaiters();
  }

  /** Writes pages in requests of adjacent slots; counts {@code left} up now and down when they end. */
  private void launder(AppThread thread, List<Integer> pages, int[] left) {
    for (int page : pages) {
      if (slots[page] == NO_SLOT) {
        slots[page] = slotMap.allocate(page);
      }
      put(page, DIRTY, false);
    }
    pages.sort((a, b) -> Integer.compare(slots[a], slots[b]));
    int pagesMax = Math.min(REQUEST_BYTES_MAX, swap.device().maxRequestBytes()) / PAGE_BYTES;
    left[0] = pages.size();
    for (int from = 0; from < pages.size(); ) {
      int to = from + 1;
      while (to < pages.size() && to - from < pagesMax && slots[pages.get(to)] == slots[pages.get(to - 1)] + 1) {
        to++;
      }
      write(thread, pages.subList(from, to).stream().mapToInt(page -> page).toArray(), left);
      from = to;
    }
  }

  private void write(AppThread thread, int[] pages, int[] left) {
    stats.writeRequests++;
    stats.pagesOut += pages.length;
    int first = slots[pages[0]];
    long copyNs = swap.isCopied() ? profile.transferNs("memory.copy-rate", (long) pages.length * PAGE_BYTES) : 0;
    thread.compute(profile.us("kernel.request") + copyNs);
    BlockDevice.Buffer buffer = acquire(thread, pages.length);
    for (int i = 0; i < pages.length; i++) {
      put(pages[i], DIRTY, false);
      copy(buffer.segment(), i, array(pages[i]), pages[i], false);
    }
    swap.device().write((long) first * PAGE_BYTES, buffer, false, errno -> {
      check(errno, "write");
      buffer.release();
      for (int page : pages) {
        written(page);
      }
      left[0] -= pages.length;
      wakeWaiters();
    });
  }

  private void written(int page) {
    isWriting[page] = false;
    if (states[page] == State.CACHED) {
      states[page] = State.SWAPPED;
      array(page).poison(page);
      free++;
    }
  }
}

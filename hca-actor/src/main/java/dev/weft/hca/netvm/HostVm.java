package dev.weft.hca.netvm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The virtual memory of one host: frames, address spaces, replacement by the clock algorithm, and a backing store (NetVM, abstract). Any thread;
 * no method blocks. In virtual time only the simulation's thread calls it.
 *
 * <p>Page numbers are global: the number of the address space and the index in it. Each waiter for a page is called once.
 */
public final class HostVm implements AutoCloseable {
  /** Called when a page may be accessed, or when it turns out to be unmapped. */
  @FunctionalInterface
  interface Waiter {
    void ready(boolean mapped);
  }

  /** The HCA, which may have data for absent pages. */
  interface Nic {
    /** Reports that the page is in its frame. The HCA copies its waiting data there, then calls {@link #finish}. */
    void loaded(long page);
  }

  static final int INDEX_BITS = 24;
  private static final int SPACE_SHIFT = 44;
  private static final long BASE = 1L << 57;
  private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;

  private final NetVmSettings settings;
  private final int pageShift;
  private final BackingStore store;
  private final VmProcessor processor;
  private final MemorySegment memory;
  private final ReentrantLock lock = new ReentrantLock();
  /** The calls to make after the lock is released. */
  private final ArrayDeque<Runnable> outbox = new ArrayDeque<>();
  private final AddressSpace[] spaces;
  private int spaceCount;
  private final FrameTable frames;
  /** Pages that wait for a frame; each page at most once. */
  private final ArrayDeque<Long> frameless = new ArrayDeque<>();
  private final Map<Long, List<Waiter>> waiters = new HashMap<>();
  /** Pages that were unmapped while their frame was in use, with the action to run when it is free. */
  private final Map<Long, Runnable> leaving = new HashMap<>();
  private int writing;
  private volatile Nic nic;
  private long faults;
  private long pageIns;
  private long pageOuts;
  private long evictions;
  private long failures;

  /** Creates a host's memory and allocates its frames; all are free. */
  public HostVm(NetVmSettings settings, BackingStore store, VmProcessor processor) {
    this(settings, store, processor, Arena.ofAuto().allocate(settings.frameBytes(), settings.pageBytes()));
  }

  /**
   * Creates a host's memory with frames of the caller, which must outlive every transfer.
   *
   * @param memory memory of {@link NetVmSettings#frameBytes} bytes
   */
  public HostVm(NetVmSettings settings, BackingStore store, VmProcessor processor, MemorySegment memory) {
    this.settings = settings;
    this.store = store;
    this.processor = processor;
    pageShift = Integer.numberOfTrailingZeros(settings.pageBytes());
    this.memory = memory;
    spaces = new AddressSpace[settings.spacesMax()];
    frames = new FrameTable(settings.frames());
  }

  public NetVmSettings settings() {
    return settings;
  }

  VmProcessor processor() {
    return processor;
  }

  /** The memory of all frames, in order. */
  MemorySegment memory() {
    return memory;
  }

  void attach(Nic newNic) {
    if (nic != null) {
      throw new IllegalStateException("the virtual memory of this host is attached to an HCA already; it can be attached to only one");
    }
    nic = newNic;
  }

  /** Creates an empty address space. */
  public AddressSpace createSpace() {
    lock.lock();
    try {
      if (spaceCount == spaces.length) {
        throw new IllegalStateException("there are " + spaceCount + " address spaces; raise weft.hca.netvm.address-spaces-max");
      }
      AddressSpace space = new AddressSpace(this, spaceCount, BASE | (long) spaceCount << SPACE_SHIFT);
      spaces[spaceCount++] = space;
      return space;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the space that an address belongs to, or null. */
  AddressSpace spaceOf(long address) {
    long number = address - BASE >>> SPACE_SHIFT;
    return (address & BASE) == 0 || number >= spaceCount ? null : spaces[(int) number];
  }

  /** Whether the segment belongs to an address space of this host. */
  public boolean owns(MemorySegment segment) {
    return segment.isNative() && spaceOf(segment.address()) != null;
  }

  /** Brings in memory of this host; calls {@code ended}, on any thread, when each page has been present once or turned out to be unmapped. */
  public void bringIn(MemorySegment segment, AddressSpace.Ended ended) {
    spaceOf(segment.address()).advise(segment.address(), segment.byteSize(), ended);
  }

  /** Returns the global number of the page at an address, which must belong to a space. */
  long pageOf(long address) {
    long number = address - BASE >>> SPACE_SHIFT;
    return number << INDEX_BITS | (address & (1L << SPACE_SHIFT) - 1) >>> pageShift;
  }

  int offsetOf(long address) {
    return (int) address & settings.pageBytes() - 1;
  }

  AddressSpace space(long page) {
    return spaces[(int) (page >>> INDEX_BITS)];
  }

  static int index(long page) {
    return (int) page & INDEX_MASK;
  }

  ShadowPageTable shadow(long page) {
    return space(page).shadow;
  }

  /** Returns the offset of a frame in {@link #memory}. */
  long frameOffset(int frame) {
    return (long) frame << pageShift;
  }

  private MemorySegment frame(int number) {
    return memory.asSlice(frameOffset(number), settings.pageBytes());
  }

  /** Releases a lock on a page. */
  void unlock(long page) {
    if (shadow(page).unlock(index(page))) {
      lock.lock();
      try {
        if (space(page).state(index(page)) == PageState.LEAVING) {
          forget(page);
        }
        supply();
      } finally {
        leave();
      }
    }
  }

  /** Brings in a page; calls {@code waiter} when it may be accessed, or when it turns out to be unmapped. */
  void fetch(long page, Waiter waiter) {
    lock.lock();
    try {
      switch (space(page).state(index(page))) {
        case NONE, LEAVING -> outbox.add(() -> waiter.ready(false));
        case IN -> outbox.add(() -> waiter.ready(true));
        case OUT -> {
          faults++;
          await(page, waiter);
          want(page);
          supply();
        }
        case WAITING, READING, LOADED, WRITING -> await(page, waiter);
      }
    } finally {
      leave();
    }
  }

  private void await(long page, Waiter waiter) {
    waiters.computeIfAbsent(page, p -> new ArrayList<>()).add(waiter);
  }

  private void want(long page) {
    space(page).setState(index(page), PageState.WAITING);
    frameless.add(page);
  }

  /** Gives frames to waiting pages as far as possible. */
  private void supply() {
    while (!frameless.isEmpty()) {
      long page = frameless.peek();
      if (space(page).state(index(page)) != PageState.WAITING) {
        frameless.poll();
        continue;
      }
      int frame = frames.freeCount() > 0 ? takeFree(page) : evict();
      if (frame < 0) {
        return;
      }
      frameless.poll();
      frames.own(frame, page);
      space(page).setFrame(index(page), frame);
      space(page).setState(index(page), PageState.READING);
      outbox.add(() -> store.read(page, frame(frame), failure -> loaded(page, failure)));
    }
  }

  /** Takes a free frame: if possible the one after the previous page's frame, so that one copy can serve both pages. */
  private int takeFree(long page) {
    int before = index(page) == 0 ? -1 : space(page).frame(index(page) - 1);
    return frames.take(before + 1);
  }

  /** Evicts a page by the clock algorithm and returns its frame; -1 if no frame is free before a write or an unlock. */
  private int evict() {
    for (int looked = 0; looked < 2 * settings.frames() && writing < frameless.size(); looked++) {
      int frame = frames.nextOfClock();
      long page = frames.owner(frame);
      if (page == FrameTable.NO_PAGE || space(page).state(index(page)) != PageState.IN || shadow(page).takeReference(index(page))) {
        continue;
      }
      switch (shadow(page).unmap(index(page))) {
        case LOCKED -> {}
        case CLEAN -> {
          evictions++;
          space(page).setState(index(page), PageState.OUT);
          frames.disown(frame);
          outbox.add(() -> processor.unmap(settings.pageBytes(), () -> { }));
          return frame;
        }
        case DIRTY -> {
          evictions++;
          writing++;
          space(page).setState(index(page), PageState.WRITING);
          outbox.add(() -> processor.unmap(settings.pageBytes(),
              () -> store.write(page, frame(frame), failure -> written(page, frame, failure))));
        }
      }
    }
    return -1;
  }

  private void written(long page, int frame, String failure) {
    lock.lock();
    try {
      writing--;
      pageOuts++;
      if (leaving.containsKey(page)) {
        forget(page);
      } else if (failure != null) {
        fail(page);
      } else {
        frames.release(frame);
        space(page).setState(index(page), PageState.OUT);
        if (waiters.containsKey(page)) {
          faults++;
          want(page);
        }
      }
      supply();
    } finally {
      leave();
    }
  }

  private void loaded(long page, String failure) {
    lock.lock();
    try {
      pageIns++;
      if (leaving.containsKey(page)) {
        forget(page);
      } else if (failure != null) {
        fail(page);
      } else {
        space(page).setState(index(page), PageState.LOADED);
        Nic hca = nic;
        outbox.add(() -> {
          if (hca == null) {
            finish(page, false);
          } else {
            hca.loaded(page);
          }
        });
      }
      supply();
    } finally {
      leave();
    }
  }

  /** Returns the offset in {@link #memory} of a page that is loaded but not accessible yet; -1 if it has been unmapped. */
  long loadedFrame(long page) {
    lock.lock();
    try {
      boolean isLoaded = space(page).state(index(page)) == PageState.LOADED && !leaving.containsKey(page);
      return isLoaded ? frameOffset(space(page).frame(index(page))) : -1;
    } finally {
      lock.unlock();
    }
  }

  /** Makes a loaded page accessible; {@code dirty} says whether it differs from its copy in the store. */
  void finish(long page, boolean dirty) {
    lock.lock();
    try {
      if (leaving.containsKey(page)) {
        forget(page);
        supply();
      } else if (space(page).state(index(page)) == PageState.LOADED) {
        shadow(page).map(index(page), space(page).frame(index(page)), dirty);
        space(page).setState(index(page), PageState.IN);
        if (waiters.containsKey(page)) {
          shadow(page).lock(index(page), false); // The page must not be replaced before its waiters have used it.
          tell(page, true);
          outbox.add(() -> unlock(page));
        }
        supply();
      }
    } finally {
      leave();
    }
  }

  /** Handles a store error for a page: makes the page inaccessible, so that no program reads wrong bytes. */
  private void fail(long page) {
    failures++;
    space(page).lose(index(page));
    shadow(page).deny(index(page));
    forget(page);
  }

  /** Whether the store has lost one of these pages since they were mapped. */
  boolean hasLost(AddressSpace space, int first, int count) {
    lock.lock();
    try {
      return space.isOneLost(first, count);
    } finally {
      lock.unlock();
    }
  }

  private void tell(long page, boolean mapped) {
    List<Waiter> told = waiters.remove(page);
    if (told != null) {
      told.forEach(waiter -> outbox.add(() -> waiter.ready(mapped)));
    }
  }

  /** Maps unmapped pages; they contain zeros. */
  void map(AddressSpace space, int first, int count) {
    lock.lock();
    try {
      for (int i = first; i < first + count; i++) {
        if (space.state(i) != PageState.NONE) {
          throw new IllegalStateException("page " + i + " of the address space is " + space.state(i) + "; unmap it first, and wait");
        }
      }
      for (int i = first; i < first + count; i++) {
        space.setState(i, PageState.OUT);
        space.find(i);
        space.shadow.allow(i);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Unmaps pages: they cannot be accessed from now on. Calls {@code done} when their frames are free. */
  void unmap(AddressSpace space, int first, int count, Runnable done) {
    lock.lock();
    try {
      int[] left = {1};
      long[] bytes = {0};
      Runnable one = () -> {
        if (--left[0] == 0 && bytes[0] > 0) {
          outbox.add(() -> processor.unmap(bytes[0], done));
        } else if (left[0] == 0) {
          outbox.add(done);
        }
      };
      for (int i = first; i < first + count; i++) {
        long page = space.page(i);
        PageState state = space.state(i);
        if (state == PageState.NONE || state == PageState.LEAVING || leaving.containsKey(page)) {
          continue;
        }
        boolean free = space.shadow.deny(i);
        left[0]++;
        bytes[0] += state == PageState.IN ? settings.pageBytes() : 0;
        leaving.put(page, one);
        if (state == PageState.IN && !free) {
          space.setState(i, PageState.LEAVING);
        } else if (state != PageState.READING && state != PageState.WRITING && state != PageState.LOADED) {
          forget(page);
        } else {
          tell(page, false);
        }
      }
      one.run();
      supply();
    } finally {
      leave();
    }
  }

  /** Frees an unmapped page that is no longer in use. */
  private void forget(long page) {
    AddressSpace space = space(page);
    int index = index(page);
    PageState state = space.state(index);
    if (state != PageState.OUT && state != PageState.WAITING) {
      frames.release(space.frame(index));
    }
    space.setState(index, PageState.NONE);
    space.shadow.clear(index);
    tell(page, false);
    store.discard(page); // Before the lock is released: then a new mapping of the page may read the store.
    Runnable waiting = leaving.remove(page);
    if (waiting != null) {
      waiting.run();
    }
  }

  /** Releases the lock, then makes the calls in the outbox. */
  private void leave() {
    if (lock.getHoldCount() > 1 || outbox.isEmpty()) {
      lock.unlock();
      return;
    }
    List<Runnable> calls = List.copyOf(outbox);
    outbox.clear();
    lock.unlock();
    calls.forEach(Runnable::run);
  }

  /** The current state of the memory. */
  public VmSnapshot snapshot() {
    lock.lock();
    try {
      List<VmSnapshot.Space> list = new ArrayList<>();
      for (int i = 0; i < spaceCount; i++) {
        list.add(spaces[i].snapshot());
      }
      return new VmSnapshot(settings.pageBytes(), settings.frames(), frames.freeCount(), frameless.size(), writing, faults, pageIns, pageOuts,
          evictions, failures, list);
    } finally {
      lock.unlock();
    }
  }

  /** Returns at most {@code limit} mapped pages from the {@code offset}th on. */
  public PageTableSnapshot pages(int offset, int limit) {
    AddressSpace[] all;
    lock.lock();
    try {
      all = Arrays.copyOf(spaces, spaceCount);
    } finally {
      lock.unlock();
    }
    List<PageTableSnapshot.Entry> entries = new ArrayList<>();
    int total = 0;
    for (AddressSpace space : all) {
      total += space.pages(Math.max(0, offset - total), limit, entries);
    }
    return new PageTableSnapshot(total, Math.min(offset, total), entries);
  }

  @Override
  public void close() {
    store.close();
  }
}

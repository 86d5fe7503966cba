package dev.weft.hca.netvm;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One address space of a host. Its segments carry only addresses: programs can register and slice them, but reading them throws. Programs access
 * the bytes by {@link #read} and {@link #write}, which bring in absent pages. Any thread.
 */
public final class AddressSpace {
  private static final MemoryNames NAMES = MemoryNames.create();

  final ShadowPageTable shadow;
  private final HostVm vm;
  private final int number;
  private final long base;
  private final PageState[] states;
  private final int[] frames;
  /** Pages that the store has lost, guarded by the host's lock; usually empty. */
  private final BitSet lost = new BitSet();
  private volatile boolean hasLost;

  AddressSpace(HostVm vm, int number, long base) {
    this.vm = vm;
    this.number = number;
    this.base = base;
    int pages = vm.settings().spacePages();
    shadow = new ShadowPageTable(pages);
    states = new PageState[pages];
    java.util.Arrays.fill(states, PageState.NONE);
    frames = new int[pages];
  }

  PageState state(int index) {
    return states[index];
  }

  void setState(int index, PageState state) {
    states[index] = state;
  }

  int frame(int index) {
    return frames[index];
  }

  void setFrame(int index, int frame) {
    frames[index] = frame;
  }

  void lose(int index) {
    lost.set(index);
    hasLost = true;
  }

  /** Reports that a page is mapped again, so it is no longer lost. */
  void find(int index) {
    lost.clear(index);
  }

  boolean isOneLost(int first, int count) {
    int next = lost.nextSetBit(first);
    return next >= 0 && next < first + count;
  }

  /** Whether the host's store has lost a page of the range since it was mapped. Lost pages can no longer be accessed. */
  public boolean hasLost(long address, long bytes) {
    int first = firstPage(address, bytes);
    return hasLost && vm.hasLost(this, first, firstPage(address + bytes - 1, 1) - first + 1);
  }

  long page(int index) {
    return (long) number << HostVm.INDEX_BITS | index;
  }

  public HostVm vm() {
    return vm;
  }

  /** The first address that can be mapped. */
  public long base() {
    return base;
  }

  /**
   * Maps pages; they are absent and contain zeros.
   *
   * @param address first address, at the start of a page
   * @param bytes length, rounded up to pages
   * @return a segment with the addresses of the memory
   * @throws IllegalStateException if a page of the range is mapped
   */
  public MemorySegment map(long address, long bytes) {
    int first = firstPage(address, bytes);
    if (vm.offsetOf(address) != 0) {
      throw new IllegalArgumentException("address 0x" + Long.toHexString(address) + " is not the start of a page of " + vm.settings().pageBytes() + " bytes");
    }
    int count = pages(bytes);
    vm.map(this, first, count);
    return name(address, (long) count * vm.settings().pageBytes());
  }

  private int pages(long bytes) {
    return Math.toIntExact(Math.ceilDiv(bytes, vm.settings().pageBytes()));
  }

  private int firstPage(long address, long bytes) {
    long room = (long) states.length * vm.settings().pageBytes();
    if (bytes < 1 || address < base || bytes > room || address - base > room - bytes) {
      throw new IllegalArgumentException(bytes + " bytes at 0x" + Long.toHexString(address) + " are not inside the address space, which has "
          + room + " bytes at 0x" + Long.toHexString(base));
    }
    return (int) ((address - base) / vm.settings().pageBytes());
  }

  /** Returns a segment with the addresses of mapped memory. */
  public MemorySegment name(long address, long bytes) {
    firstPage(address, bytes);
    return NAMES.name(address, bytes);
  }

  /**
   * Unmaps whole pages. From this call on they cannot be accessed; transfers in progress fail with REM_ACCESS_ERR. A later mapping of the range is
   * new memory with zeros.
   *
   * @param done called when the frames are free and the range may be mapped again; on any thread; must not block
   */
  public void unmap(long address, long bytes, Runnable done) {
    vm.unmap(this, firstPage(address, bytes), pages(bytes), done);
  }

  /** Brings in absent pages, as far as frames are available; a hint. */
  public void advise(long address, long bytes) {
    int first = firstPage(address, bytes);
    int last = firstPage(address + bytes - 1, 1);
    for (int i = first; i <= last; i++) {
      if (shadow.isMapped(i) && !shadow.isResident(i)) {
        vm.fetch(page(i), mapped -> {});
      }
    }
  }

  /** Brings in pages; calls {@code ended}, on any thread, when each page has been present once or turned out to be unmapped. */
  public void advise(long address, long bytes, Ended ended) {
    int first = firstPage(address, bytes);
    int last = firstPage(address + bytes - 1, 1);
    AtomicInteger left = new AtomicInteger(last - first + 1);
    AtomicBoolean whole = new AtomicBoolean(true);
    for (int i = first; i <= last; i++) {
      vm.fetch(page(i), mapped -> {
        if (!mapped) {
          whole.set(false);
        }
        if (left.decrementAndGet() == 0) {
          ended.ended(whole.get());
        }
      });
    }
  }

  /** Whether all pages of a range have frames now. */
  public boolean isResident(long address, long bytes) {
    int last = firstPage(address + bytes - 1, 1);
    for (int i = firstPage(address, bytes); i <= last; i++) {
      if (!shadow.isResident(i)) {
        return false;
      }
    }
    return true;
  }

  /** Called at the end of an access: with true if it was done, with false if memory is not mapped. */
  @FunctionalInterface
  public interface Ended {
    void ended(boolean done);
  }

  /** Copies bytes into the memory. {@code from} must not change until {@code ended} is called, on any thread. */
  public void write(long address, MemorySegment from, Ended ended) {
    access(address, from, 0, true, ended);
  }

  /** Copies bytes out of the memory. {@code into} is filled when {@code ended} is called, on any thread. */
  public void read(long address, MemorySegment into, Ended ended) {
    access(address, into, 0, false, ended);
  }

  private void access(long address, MemorySegment bytes, long from, boolean write, Ended ended) {
    firstPage(address, bytes.byteSize());
    long done = from;
    while (done < bytes.byteSize()) {
      long at = address + done;
      int offset = vm.offsetOf(at);
      int length = (int) Math.min(bytes.byteSize() - done, vm.settings().pageBytes() - offset);
      long page = vm.pageOf(at);
      int frame = shadow.lock(HostVm.index(page), write);
      if (frame == ShadowPageTable.DENIED) {
        ended.ended(false);
        return;
      }
      if (frame == ShadowPageTable.ABSENT) {
        long reached = done;
        vm.fetch(page, mapped -> access(address, bytes, reached, write, ended));
        return;
      }
      long inMemory = vm.frameOffset(frame) + offset;
      MemorySegment.copy(write ? bytes : vm.memory(), write ? done : inMemory, write ? vm.memory() : bytes, write ? inMemory : done,
          length);
      vm.unlock(page);
      done += length;
    }
    ended.ended(true);
  }

  /**
   * Like {@link #write(long, MemorySegment, Ended)}, but waits for the end. For application threads in real time.
   *
   * @throws IllegalStateException if memory is not mapped
   */
  public void write(long address, MemorySegment from) {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    write(address, from, end::complete);
    require(end.join(), address);
  }

  /** Like {@link #read(long, MemorySegment, Ended)}, but waits for the end; errors as for {@link #write(long, MemorySegment)}. */
  public void read(long address, MemorySegment into) {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    read(address, into, end::complete);
    require(end.join(), address);
  }

  private static void require(boolean done, long address) {
    if (!done) {
      throw new IllegalStateException("memory from 0x" + Long.toHexString(address) + " is not mapped");
    }
  }

  /** Adds mapped pages from the {@code skip}th on while {@code into} is shorter than {@code limit}; returns the number of mapped pages. */
  int pages(int skip, int limit, List<PageTableSnapshot.Entry> into) {
    int mapped = 0;
    for (int i = 0; i < states.length; i++) {
      PageTableSnapshot.Entry entry = shadow.isMapped(i) ? shadow.entry(number, i, base + (long) i * vm.settings().pageBytes()) : null;
      if (entry != null && mapped++ >= skip && into.size() < limit) {
        into.add(entry);
      }
    }
    return mapped;
  }

  VmSnapshot.Space snapshot() {
    int mapped = 0;
    int resident = 0;
    int dirty = 0;
    int locked = 0;
    for (int i = 0; i < states.length; i++) {
      mapped += shadow.isMapped(i) ? 1 : 0;
      resident += shadow.isResident(i) ? 1 : 0;
      dirty += shadow.isDirty(i) ? 1 : 0;
      locked += shadow.locks(i) > 0 ? 1 : 0;
    }
    return new VmSnapshot.Space(number, base, mapped, resident, dirty, locked);
  }
}

package dev.weft.hca.netvm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Loan;
import dev.weft.fabric.packet.Payload;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.agrona.collections.LongHashSet;

/**
 * The HCA's decisions about unpinned memory (NetVM, abstract). It translates and locks a page for the duration of a transfer. Data for absent pages
 * goes to the redirect buffer; the HCA requests the pages from the host, which then copies the data. Used on the hardware thread only.
 */
public final class NicPages {
  /** The result of an access. */
  public enum Outcome {
    /** The access is done or may be done now. */
    DONE,
    /** A page is absent and was requested; {@code woken} is called when it is present. */
    ABSENT,
    /** The memory is not mapped. */
    DENIED
  }

  private final HostVm vm;
  private final RedirectBuffer redirect;
  private final CopyCounter copies;
  private final Runnable woken;
  /** Pages that this HCA has requested from the host. */
  private final LongHashSet pending = new LongHashSet();
  /** Pages that were requested before the actor ran. */
  private final ArrayDeque<Long> early = new ArrayDeque<>();
  private ActorRef<ShadowPtActor.Command> actor;
  private long faults;
  private long heldPage = -1;
  private int heldFrame;
  private long runOffset;

  /**
   * Creates the HCA's side of a host's memory.
   *
   * @param slotBytes size of the longest packet
   * @param copies counts the copied bytes; redirected bytes are copied twice
   * @param woken called after absent pages have become present or were unmapped, so that waiting transfers check again
   */
  public NicPages(HostVm vm, int slotBytes, CopyCounter copies, Runnable woken) {
    this.vm = vm;
    this.copies = copies;
    this.woken = woken;
    redirect = new RedirectBuffer(slotBytes, vm.settings(), copies);
  }

  void start(ActorRef<ShadowPtActor.Command> self) {
    actor = self;
    vm.attach(page -> self.tell(new ShadowPtActor.Loaded(page)));
    for (Long page = early.poll(); page != null; page = early.poll()) {
      self.tell(new ShadowPtActor.Fault(page));
    }
  }

  public HostVm vm() {
    return vm;
  }

  public RedirectBuffer redirect() {
    return redirect;
  }

  // Transfers.

  /**
   * Locks the pages from an address on, as far as their frames are adjacent, so that one copy serves them all.
   *
   * @return the number of locked bytes from the address on, at {@link #runOffset} in memory; or the negative result of
   *     {@link ShadowPageTable#lock} for the first page
   */
  private int lockRun(long address, int length, boolean write) {
    int offset = vm.offsetOf(address);
    int pageBytes = vm.settings().pageBytes();
    long first = vm.pageOf(address);
    ShadowPageTable shadow = vm.shadow(first);
    int index = HostVm.index(first);
    int frame = shadow.lock(index, write);
    if (frame < 0) {
      return frame;
    }
    runOffset = vm.frameOffset(frame) + offset;
    int locked = pageBytes - offset;
    while (locked < length) {
      index++;
      int next = shadow.lock(index, write);
      if (next != frame + 1) {
        if (next >= 0) {
          vm.unlock(first + index - HostVm.index(first));
        }
        break;
      }
      frame = next;
      locked += pageBytes;
    }
    return Math.min(locked, length);
  }

  private void unlock(long firstPage, long lastPage) {
    for (long page = firstPage; page <= lastPage; page++) {
      vm.unlock(page);
    }
  }

  /** Copies part of a payload to memory or redirects it; returns false if memory is not mapped. The account must have room for one packet. */
  public boolean place(RedirectBuffer.Account account, Payload payload, int from, long address, int length) {
    int done = 0;
    while (done < length) {
      long at = address + done;
      int run = lockRun(at, length - done, true);
      if (run > 0) {
        try {
          payload.copyTo(from + done, vm.memory(), runOffset, run, copies);
        } finally {
          unlock(vm.pageOf(at), vm.pageOf(at + run - 1));
        }
        done += run;
        continue;
      }
      if (run == ShadowPageTable.DENIED) {
        return false;
      }
      long page = vm.pageOf(at);
      int offset = vm.offsetOf(at);
      int count = Math.min(length - done, vm.settings().pageBytes() - offset);
      redirect.add(account, page, offset, vm.shadow(page).generation(HostVm.index(page)), payload, from + done, count);
      fault(page);
      done += count;
    }
    return true;
  }

  /** Checks whether a range can be read now; requests its absent pages. */
  public Outcome look(long address, long length) {
    Outcome outcome = Outcome.DONE;
    for (long page = vm.pageOf(address); page <= vm.pageOf(address + length - 1); page++) {
      ShadowPageTable shadow = vm.shadow(page);
      if (!shadow.isMapped(HostVm.index(page))) {
        return Outcome.DENIED;
      }
      if (!shadow.isResident(HostVm.index(page))) {
        fault(page);
        outcome = Outcome.ABSENT;
      }
    }
    return outcome;
  }

  /** Requests the absent pages that a transfer will need. */
  public void prefetch(long address, long length) {
    look(address, length);
  }

  /**
   * The pieces of a payload, and the pages that are locked for it until the packet has left the fabric. If a page has been evicted or unmapped since
   * {@link #look}, gathering fails and unlocks all pages.
   */
  public final class Gather implements Runnable {
    private MemorySegment[] segments = new MemorySegment[2];
    private long[] offsets = new long[2];
    private int[] lengths = new int[2];
    private Loan[] loans = new Loan[2];
    private int count;
    /** The first and last page of each locked run. */
    private long[] locked = new long[2];
    private int runs;

    /** Adds pinned memory, which is used as long as {@code loan} lasts. */
    public void add(MemorySegment segment, long offset, int length, Loan loan) {
      if (count == segments.length) {
        segments = Arrays.copyOf(segments, 2 * count);
        offsets = Arrays.copyOf(offsets, 2 * count);
        lengths = Arrays.copyOf(lengths, 2 * count);
        loans = Arrays.copyOf(loans, 2 * count);
      }
      segments[count] = segment;
      offsets[count] = offset;
      loans[count] = loan;
      lengths[count++] = length;
    }

    /** Adds a range and locks its pages; returns false if a page is absent or not mapped. */
    public boolean addLocked(long address, int length, Loan loan) {
      int done = 0;
      while (done < length) {
        long at = address + done;
        int run = lockRun(at, length - done, false);
        if (run < 0) {
          run();
          return false;
        }
        if (2 * runs == locked.length) {
          locked = Arrays.copyOf(locked, 4 * runs);
        }
        locked[2 * runs] = vm.pageOf(at);
        locked[2 * runs + 1] = vm.pageOf(at + run - 1);
        runs++;
        add(vm.memory(), runOffset, run, loan);
        done += run;
      }
      return true;
    }

    /** Unlocks all pages. */
    @Override
    public void run() {
      for (int i = 0; i < runs; i++) {
        unlock(locked[2 * i], locked[2 * i + 1]);
      }
      runs = 0;
    }

    /** Returns the payload; its release unlocks the pages. */
    public Payload payload() {
      Payload tail = null;
      for (int i = count - 1; i > 0; i--) {
        tail = Payload.of(segments[i], offsets[i], lengths[i], tail, null, loans[i]);
      }
      return Payload.of(segments[0], offsets[0], lengths[0], tail, this, loans[0]);
    }
  }

  public Gather gather() {
    return new Gather();
  }

  /** An action on one word while its page is locked. */
  @FunctionalInterface
  public interface WordAction {
    long apply(MemorySegment memory, long offset);
  }

  /** Locks the page of a word until {@link #drop}; requests the page if it is absent. */
  public Outcome hold(long address) {
    long page = vm.pageOf(address);
    int frame = vm.shadow(page).lock(HostVm.index(page), true);
    if (frame >= 0) {
      heldPage = page;
      heldFrame = frame;
      return Outcome.DONE;
    }
    if (frame == ShadowPageTable.DENIED) {
      return Outcome.DENIED;
    }
    fault(page);
    return Outcome.ABSENT;
  }

  /**
   * Runs {@code action} on the aligned word at an address in the held page.
   *
   * @throws IllegalStateException if the page of the word is not held, for example because it is not mapped
   */
  public long onWord(long address, WordAction action) {
    if (heldPage != vm.pageOf(address)) {
      throw new IllegalStateException("the word at 0x" + Long.toHexString(address) + " is not held");
    }
    return action.apply(vm.memory(), vm.frameOffset(heldFrame) + vm.offsetOf(address));
  }

  /** Unlocks the held page, if there is one. */
  public void drop() {
    if (heldPage >= 0) {
      vm.unlock(heldPage);
      heldPage = -1;
    }
  }

  // Faults.

  private void fault(long page) {
    if (pending.add(page)) {
      faults++;
      if (actor == null) {
        early.add(page);
      } else {
        actor.tell(new ShadowPtActor.Fault(page));
      }
    }
  }

  void onFault(long page) {
    vm.processor().fault(() -> vm.fetch(page, mapped -> {
      boolean isHeld = mapped && vm.shadow(page).lock(HostVm.index(page), false) >= 0;
      actor.tell(new ShadowPtActor.Ready(page, isHeld));
    }));
  }

  void onLoaded(long page) {
    vm.processor().copy(redirect.waitingBytes(page), () -> actor.tell(new ShadowPtActor.Copy(page)));
  }

  void onCopy(long page) {
    long frame = vm.loadedFrame(page);
    boolean dirty = frame >= 0 && redirect.copy(page, vm.shadow(page).generation(HostVm.index(page)), vm.memory(), frame);
    vm.finish(page, dirty);
    redirect.settle(); // Only now, so that the called actions find the data in memory.
  }

  /** Handles the end of a fault. {@code isHeld}: the page is locked, so that it is still present when waiting transfers check again. */
  void onReady(long page, boolean isHeld) {
    pending.remove(page);
    ShadowPageTable shadow = vm.shadow(page);
    int index = HostVm.index(page);
    redirect.discard(page, shadow.generation(index), shadow.isMapped(index));
    if (redirect.waitingBytes(page) > 0) {
      fault(page); // The page was unmapped, mapped again and written in the meantime.
    }
    woken.run();
    if (isHeld) {
      vm.unlock(page);
    }
  }

  /** The current state, for inspection. */
  public NicPagesSnapshot snapshot() {
    return new NicPagesSnapshot(faults, pending.size(), redirect.snapshot(), vm.snapshot());
  }
}

package dev.weft.hca.netvm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Payload;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.LongHashSet;

/**
 * What an HCA decides about memory that is not pinned: translate and lock a page for the moment of a transfer, redirect data for absent
 * pages, ask the host for them, and let it copy (seed 004, abstract). Confined to the hardware thread.
 */
public final class NicPages {
  /** How an access may go. */
  public enum Outcome {
    /** Done, or may be done now. */
    DONE,
    /** A page is absent and was asked for; {@code woken} is called when it is there. */
    ABSENT,
    /** Memory is not mapped. */
    DENIED
  }

  private final HostVm vm;
  private final RedirectBuffer redirect;
  private final CopyCounter copies;
  private final Runnable woken;
  /** Pages that the host was asked for. */
  private final LongHashSet pending = new LongHashSet();
  /** Asked for before the actor ran. */
  private final ArrayDeque<Long> early = new ArrayDeque<>();
  private ActorRef<ShadowPtActor.Command> actor;
  private long faults;
  private long heldPage = -1;
  private int heldFrame;

  /**
   * The HCA's side of a host's memory.
   *
   * @param slotBytes the longest packet
   * @param copies takes the bytes copied; those that were redirected are copied twice
   * @param woken called after pages came that were absent, or went for good: who waits looks again
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

  /** Copies part of a payload to memory, or redirects it; false if memory is not mapped. The account has room for one packet. */
  public boolean place(RedirectBuffer.Account account, Payload payload, int from, long address, int length) {
    int done = 0;
    while (done < length) {
      long at = address + done;
      int offset = vm.offsetOf(at);
      int count = Math.min(length - done, vm.settings().pageBytes() - offset);
      long page = vm.pageOf(at);
      int frame = vm.shadow(page).lock(HostVm.index(page), true);
      if (frame >= 0) {
        payload.copyTo(from + done, vm.memory(), vm.frameOffset(frame) + offset, count, copies);
        vm.unlock(page);
      } else if (frame == ShadowPageTable.DENIED) {
        return false;
      } else {
        redirect.add(account, page, offset, vm.shadow(page).generation(HostVm.index(page)), payload, from + done, count);
        fault(page);
      }
      done += count;
    }
    return true;
  }

  /** Whether a range can be read now; asks for what is absent. */
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

  /** Asks for pages that a transfer will need. */
  public void prefetch(long address, long length) {
    look(address, length);
  }

  /**
   * Pieces of a payload and the pages that are locked for it, until the packet has left the fabric. Gathers first, locks then: a page that
   * went since {@link #look} makes it fail, and everything is unlocked again.
   */
  public final class Gather {
    private final List<MemorySegment> segments = new ArrayList<>(2);
    private final List<Long> offsets = new ArrayList<>(2);
    private final List<Integer> lengths = new ArrayList<>(2);
    private final List<Long> locked = new ArrayList<>(2);

    /** Adds pinned memory. */
    public void add(MemorySegment segment, long offset, int length) {
      segments.add(segment);
      offsets.add(offset);
      lengths.add(length);
    }

    /** Adds a range and locks its pages; false if one is absent or not mapped. */
    public boolean addLocked(long address, int length) {
      int done = 0;
      while (done < length) {
        long at = address + done;
        int offset = vm.offsetOf(at);
        int count = Math.min(length - done, vm.settings().pageBytes() - offset);
        long page = vm.pageOf(at);
        int frame = vm.shadow(page).lock(HostVm.index(page), false);
        if (frame < 0) {
          unlockAll();
          return false;
        }
        locked.add(page);
        add(vm.memory(), vm.frameOffset(frame) + offset, count);
        done += count;
      }
      return true;
    }

    private void unlockAll() {
      locked.forEach(vm::unlock);
      locked.clear();
    }

    /** The payload; its release unlocks the pages. */
    public Payload payload() {
      Payload tail = null;
      for (int i = segments.size() - 1; i > 0; i--) {
        tail = Payload.of(segments.get(i), offsets.get(i), lengths.get(i), tail);
      }
      return Payload.of(segments.getFirst(), offsets.getFirst(), lengths.getFirst(), tail, this::unlockAll);
    }
  }

  public Gather gather() {
    return new Gather();
  }

  /** Something done to one word while its page is locked. */
  @FunctionalInterface
  public interface WordAction {
    long apply(MemorySegment memory, long offset);
  }

  /** Locks the page of a word until {@link #drop}; asks for it if it is absent. */
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
   * Runs {@code action} on the aligned word at an address that is held.
   *
   * @throws IllegalStateException if it is not: it is not mapped
   */
  public long onWord(long address, WordAction action) {
    if (heldPage != vm.pageOf(address)) {
      throw new IllegalStateException("the word at 0x" + Long.toHexString(address) + " is not held");
    }
    return action.apply(vm.memory(), vm.frameOffset(heldFrame) + vm.offsetOf(address));
  }

  /** Unlocks the page that is held, if one is. */
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
    redirect.settle(); // After it: who is told then finds the data.
  }

  /** {@code isHeld}: the page is locked, so that it is still there when those who wait look again. */
  void onReady(long page, boolean isHeld) {
    pending.remove(page);
    ShadowPageTable shadow = vm.shadow(page);
    int index = HostVm.index(page);
    redirect.discard(page, shadow.generation(index), shadow.isMapped(index));
    if (redirect.waitingBytes(page) > 0) {
      fault(page); // Unmapped, mapped again, and written since.
    }
    woken.run();
    if (isHeld) {
      vm.unlock(page);
    }
  }

  /** Its state, for inspection. */
  public NicPagesSnapshot snapshot() {
    return new NicPagesSnapshot(faults, pending.size(), redirect.snapshot(), vm.snapshot());
  }
}

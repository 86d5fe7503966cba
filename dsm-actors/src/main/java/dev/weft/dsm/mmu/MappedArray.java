package dev.weft.dsm.mmu;

import dev.weft.dsm.access.MappedViews;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.Executor;

/**
 * An array that applications have mapped. Its pages are a file in memory that all of them map; a minipage has page frames there while an
 * application may use it, and none otherwise. The node's frames stay what the protocol moves. All but {@link #hasServed} under the manager's lock.
 *
 * <p>Invariants: no page of a minipage is there unless the node may read it; none can be written unless it may write; where one was, the minipage is
 * dirty until it has been copied to the node's frame.
 */
public final class MappedArray implements MappedViews {
  /** Applications of one node at most: bits of a long. */
  static final int APPLICATIONS_MAX = 64;
  private static final int EAGAIN_MAX = 1000;

  /** What became of a fault. */
  enum Resolution {
    /** Who stalls goes on, or gets an error. */
    RESOLVED,
    /** The node has not the right; ask for it. */
    NO_RIGHT
  }

  /** What became of a change of protection in one address space. */
  private enum Change {
    DONE,
    /** The kernel has no memory for it, or is about to change the address space: again, soon. */
    NOT_YET,
    /** The view is not there, or not as it was. Its application is told to end; punching the hole takes its pages all the same. */
    BROKEN
  }

  private final ViewManager manager;
  private final PageTable table;
  private final ViewLayout layout;
  private final MemorySegment frames;
  private final int file;
  private final Executor later;
  private final boolean[] present;
  private final boolean[] dirty;
  /** By minipage: bits of applications that have pages which they may write. */
  private final long[] writers;
  private final long[] servedAtNs;
  /** By application: where its view begins, and its faults. */
  private final long[] addresses = new long[APPLICATIONS_MAX];
  private final UserFault[] faults = new UserFault[APPLICATIONS_MAX];
  private long attached;
  /** Where a minipage is put together that is not of whole pages; its rest stays zero. */
  private final MemorySegment bounce;
  private volatile boolean ended;
  /** Why it has ended; set before that. */
  private String whyEnded = "";

  /**
   * @param frames of the node
   * @param later runs what may wait for the lock
   */
  MappedArray(ViewManager manager, PageTable table, MemorySegment frames, int pageBytes, Executor later) {
    this.manager = manager;
    this.table = table;
    this.layout = new ViewLayout(table.spec().bytes(), table.spec().strideBytes(), pageBytes);
    this.frames = frames.asSlice(table.spec().offset(), table.spec().bytes());
    this.later = later;
    this.file = LinuxCalls.memoryFile("weft-dsm-" + table.spec().name(), layout.viewBytes());
    int count = layout.minipages();
    this.present = new boolean[count];
    this.dirty = new boolean[count];
    this.writers = new long[count];
    this.servedAtNs = new long[count];
    Arrays.fill(servedAtNs, System.nanoTime() - manager.holdNs);
    this.bounce = Arena.ofAuto().allocate(layout.viewStrideBytes(), pageBytes);
  }

  public ViewLayout layout() {
    return layout;
  }

  PageTable table() {
    return table;
  }

  int file() {
    return file;
  }

  /** Its number, never used again. */
  int id() {
    return table.spec().id();
  }

  /** Page frames of a minipage that is there. */
  long pages(int index) {
    return layout.pagesBytes(index) / layout.pageBytes();
  }

  boolean isAttached(int application) {
    return (attached & 1L << application) != 0;
  }

  boolean isAttachedAt(int application, long address) {
    return isAttached(application) && addresses[application] == address;
  }

  /** An application has mapped it, and its faults come. */
  void attach(int application, long address, UserFault theirs) {
    addresses[application] = address;
    faults[application] = theirs;
    attached |= 1L << application;
    if (ended) {
      theirs.poisoned(whyEnded);
      theirs.poison(address, layout.viewBytes());
    }
  }

  /** An application is no more, or has unmapped it. What it wrote is still in the file. */
  void detach(int application) {
    long others = ~(1L << application);
    attached &= others;
    for (int i = 0; i < writers.length; i++) {
      writers[i] &= others;
    }
    faults[application] = null;
  }

  /** Where an application that is attached has mapped it. */
  long address(int application) {
    return addresses[application];
  }

  /** Its faults. */
  UserFault faults(int application) {
    return faults[application];
  }

  /** Which minipage an application means by an address; -1 if it is not of this array. */
  int indexOf(int application, long address) {
    long offset = address - addresses[application];
    return isAttached(application) && offset >= 0 && offset < layout.viewBytes() ? (int) (offset / layout.viewStrideBytes()) : -1;
  }

  // Faults.

  /**
   * Lets an application go on that stalls at an address of a minipage.
   *
   * @param flags of its fault
   */
  Resolution resolve(int application, int index, long address, long flags) {
    UserFault theirs = faults[application];
    if (!isAttached(application)) {
      return Resolution.RESOLVED;
    }
    if (ended || table.gone() != null) {
      poison(application, index);
      return Resolution.RESOLVED;
    }
    byte rights = table.rights(index);
    if (rights < wanted(flags)) {
      return Resolution.NO_RIGHT;
    }
    boolean writable = rights == Rights.WRITE;
    long view = addresses[application] + layout.startOf(index);
    if (!present[index]) {
      install(theirs, index, view, writable);
    } else if ((flags & UserFault.PROTECTED) != 0) {
      if (change(theirs, theirs.unprotect(view, layout.pagesBytes(index))) != Change.DONE) {
        theirs.wake(view, layout.pagesBytes(index));
      }
    } else {
      proceed(theirs, index, view, address, writable);
    }
    if (writable && present[index]) {
      writers[index] |= 1L << application;
      dirty[index] = true;
    }
    return Resolution.RESOLVED;
  }

  private void proceed(UserFault theirs, int index, long view, long address, boolean writable) {
    long result = theirs.proceed(address, layout.pageBytes(), writable);
    if (result == LinuxCalls.EFAULT && drop(index, index)) {
      install(theirs, index, view, writable); // An application has removed the page from the file; the other pages are kept.
    } else if (result < 0) {
      theirs.wake(address, layout.pageBytes()); // Another thread's fault has brought it.
      if (result == LinuxCalls.EINVAL) {
        theirs.broken(brokenView());
      }
    }
  }

  private String brokenView() {
    return "its view of \"" + table.spec().name() + "\" is not mapped as it was when the node was told of it";
  }

  private Change change(UserFault theirs, long result) {
    return switch ((int) result) {
      case 0, LinuxCalls.ESRCH -> Change.DONE; // Who has ended writes no more.
      case LinuxCalls.EAGAIN, LinuxCalls.EINTR, LinuxCalls.ENOMEM -> Change.NOT_YET;
      default -> {
        theirs.broken(brokenView());
        yield Change.BROKEN;
      }
    };
  }

  /** Rights that a fault needs. */
  static byte wanted(long flags) {
    return (flags & (UserFault.WRITES | UserFault.PROTECTED)) != 0 ? Rights.WRITE : Rights.READ;
  }

  private void install(UserFault theirs, int index, long view, boolean writable) {
    manager.residents.add(this, index);
    long bytes = layout.pagesBytes(index);
    long result = copy(theirs, index, view, bytes, writable);
    if (result == LinuxCalls.EEXIST) { // Somebody has touched the file other than by a view.
      LinuxCalls.punch(file, layout.startOf(index), bytes);
      result = copy(theirs, index, view, bytes, writable);
    }
    if (result < 0) {
      // It has unmapped the view, or has ended: nobody has anything.
      LinuxCalls.punch(file, layout.startOf(index), bytes);
      forget(index);
      theirs.wake(view, bytes);
      if (result == LinuxCalls.EEXIST || result == LinuxCalls.EINVAL) {
        theirs.broken(brokenView());
      }
      return;
    }
    present[index] = true;
    servedAtNs[index] = System.nanoTime();
  }

  private long copy(UserFault theirs, int index, long view, long bytes, boolean writable) {
    long content = layout.contentBytes(index);
    MemorySegment from = frames.asSlice(index * layout.strideBytes(), content);
    if (content != bytes || from.address() % 8 != 0) {
      bounce.asSlice(content).fill((byte) 0);
      MemorySegment.copy(from, 0, bounce, 0, content);
      from = bounce;
    }
    long result = LinuxCalls.EAGAIN;
    for (int i = 0; i < EAGAIN_MAX && result == LinuxCalls.EAGAIN; i++) {
      result = theirs.copy(view, from.address(), bytes, writable);
    }
    return result;
  }

  /** An application gets an error where it touches a minipage, now and later. */
  void poison(int application, int index) {
    if (isAttached(application)) {
      faults[application].poison(addresses[application] + layout.startOf(index), layout.pagesBytes(index));
    }
  }

  // Rights that go, and come back.

  @Override
  public boolean tryLower(int index, byte rights) {
    if (!manager.tryLock()) {
      return false;
    }
    try {
      return set(index, index, rights);
    } finally {
      manager.unlock();
    }
  }

  /** Whether one call can do the same for two minipages. */
  boolean isLike(int one, int other) {
    return present[one] == present[other] && dirty[one] == dirty[other] && writers[one] == writers[other];
  }

  /** Sets minipages from {@code first} to {@code last}, which are all alike; false if it must be tried again. */
  boolean set(int first, int last, byte rights) {
    if (!present[first]) {
      return true;
    }
    return switch (rights) {
      case Rights.NONE -> drop(first, last);
      case Rights.READ -> protect(first, last);
      default -> unprotect(first, last);
    };
  }

  private long bytesOf(int first, int last) {
    return layout.startOf(last) + layout.pagesBytes(last) - layout.startOf(first);
  }

  /** Nobody can write any more, and what was written is in the node's frame. False if that is not so: nothing was taken for over. */
  private boolean protect(int first, int last) {
    long start = layout.startOf(first);
    boolean isBroken = false;
    for (long left = writers[first]; left != 0; left &= left - 1) {
      int application = Long.numberOfTrailingZeros(left);
      switch (change(faults[application], faults[application].protect(addresses[application] + start, bytesOf(first, last)))) {
        case NOT_YET -> {
          return false;
        }
        case BROKEN -> isBroken = true;
        case DONE -> {}
      }
    }
    if (dirty[first] && table.gone() == null) { // The frame of one that is gone may be another one's.
      if (layout.strideBytes() == layout.viewStrideBytes()) {
        copyOut(first, layout.startOf(last) + layout.contentBytes(last) - start);
      } else {
        for (int i = first; i <= last; i++) {
          copyOut(i, layout.contentBytes(i));
        }
      }
    }
    for (int i = first; i <= last; i++) {
      writers[i] = 0;
      dirty[i] = false;
    }
    if (isBroken) {
      punch(first, last);
    }
    return true;
  }

  private void punch(int first, int last) {
    LinuxCalls.punch(file, layout.startOf(first), bytesOf(first, last));
    for (int i = first; i <= last; i++) {
      forget(i);
    }
  }

  private void copyOut(int index, long bytes) {
    LinuxCalls.read(file, layout.startOf(index), frames.address() + index * layout.strideBytes(), bytes);
  }

  private boolean unprotect(int first, int last) {
    for (int i = first; i <= last; i++) {
      writers[i] = attached;
      dirty[i] = true;
    }
    for (long left = attached; left != 0; left &= left - 1) {
      int application = Long.numberOfTrailingZeros(left);
      if (change(faults[application], faults[application].unprotect(addresses[application] + layout.startOf(first), bytesOf(first, last)))
          == Change.NOT_YET) {
        return false;
      }
    }
    return true;
  }

  /** Nobody can reach minipages any more, whose content is in the node's frame. False if that is not so, and must be tried again. */
  boolean drop(int first, int last) {
    if (!protect(first, last)) {
      return false;
    }
    punch(first, last);
    return true;
  }

  /** An application lives, and is served no more: it loses what it can reach. What it wrote stays. */
  void cutOff(int application) {
    for (int i = 0; i < present.length; i++) {
      if (present[i] && !drop(i, i)) {
        writers[i] &= ~(1L << application);
        drop(i, i); // It may write a moment longer, unseen.
      }
    }
    faults[application].poison(addresses[application], layout.viewBytes());
    detach(application);
  }

  /** Whether nobody is served any more. */
  boolean isOver() {
    return ended || table.gone() != null;
  }

  /** Why not; of one that {@link #isOver}. */
  String whyOver() {
    return ended ? whyEnded : table.gone();
  }

  /** Whether an application's view and a range of its addresses have some in common. */
  boolean overlaps(int application, long address, long bytes) {
    return isAttached(application) && address < addresses[application] + layout.viewBytes() && addresses[application] < address + bytes;
  }

  private void forget(int index) {
    present[index] = false;
    dirty[index] = false;
    writers[index] = 0;
    manager.residents.remove(this, index);
  }

  @Override
  public boolean hasServed(int index) {
    return System.nanoTime() - servedAtNs[index] < manager.holdNs;
  }

  // The end.

  @Override
  public void end(String why) {
    later.execute(() -> endNow(why));
  }

  /** All pages go, and whoever touches one gets an error. */
  private void endNow(String why) {
    manager.lock();
    try {
      if (!ended) {
        whyEnded = why;
        for (int i = 0; i < present.length; i++) {
          forget(i);
        }
        LinuxCalls.punch(file, 0, layout.viewBytes());
        LinuxCalls.close(file); // Who has mapped it keeps it.
        for (long left = attached; left != 0; left &= left - 1) {
          int application = Long.numberOfTrailingZeros(left);
          faults[application].poisoned(why); // Before the first error.
          faults[application].poison(addresses[application], layout.viewBytes());
        }
        ended = true;
      }
    } finally {
      manager.unlock();
    }
  }

  @Override
  public boolean hasEnded() {
    return ended;
  }
}

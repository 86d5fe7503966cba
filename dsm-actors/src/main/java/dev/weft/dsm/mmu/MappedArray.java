package dev.weft.dsm.mmu;

import dev.weft.dsm.access.MappedViews;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.Executor;

/**
 * An array that applications have mapped. Its pages are a memory file that all of them map. A minipage has page frames in the file only while an
 * application may use it. The protocol moves data between the nodes' frames, as for other arrays. Call all methods but {@link #hasServed} under the
 * manager's lock.
 *
 * <p>Invariants: a minipage has pages only if the node may read it, and writable pages only if the node may write it. A minipage that was writable is
 * dirty until it has been copied to the node's frame.
 */
public final class MappedArray implements MappedViews {
  /** Maximum number of applications of one node: bits of a long. */
  static final int APPLICATIONS_MAX = 64;
  private static final int EAGAIN_MAX = 1000;

  /** Result of a fault. */
  enum Resolution {
    /** The stalled thread continues, or gets an error. */
    RESOLVED,
    /** The node lacks the right; ask for it. */
    NO_RIGHT
  }

  /** Result of a change of protection in one address space. */
  private enum Change {
    DONE,
    /** The kernel lacks memory for it, or is about to change the address space: retry soon. */
    NOT_YET,
    /** The view is missing or changed. Its application is told to end; punching the hole still takes its pages. */
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
  /** By minipage: bits of the applications that have writable pages. */
  private final long[] writers;
  private final long[] servedAtNs;
  /** By application: address of its view, and its faults. */
  private final long[] addresses = new long[APPLICATIONS_MAX];
  private final UserFault[] faults = new UserFault[APPLICATIONS_MAX];
  private long attached;
  /** Buffer for a minipage that does not fill its pages; the rest stays zero. */
  private final MemorySegment bounce;
  private volatile boolean ended;
  /** Why the array has ended; set before {@link #ended}. */
  private String whyEnded = "";

  /**
   * @param frames frames of the node
   * @param later runs tasks that may wait for the lock
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

  /** Number of the array, never used again. */
  int id() {
    return table.spec().id();
  }

  /** Number of page frames that a minipage takes. */
  long pages(int index) {
    return layout.pagesBytes(index) / layout.pageBytes();
  }

  boolean isAttached(int application) {
    return (attached & 1L << application) != 0;
  }

  boolean isAttachedAt(int application, long address) {
    return isAttached(application) && addresses[application] == address;
  }

  /** An application has mapped the array, and sends its faults. */
  void attach(int application, long address, UserFault theirs) {
    addresses[application] = address;
    faults[application] = theirs;
    attached |= 1L << application;
    if (ended) {
      theirs.poisoned(whyEnded);
      theirs.poison(address, layout.viewBytes());
    }
  }

  /** An application has ended, or has unmapped the array. Its stores are still in the file. */
  void detach(int application) {
    long others = ~(1L << application);
    attached &= others;
    for (int i = 0; i < writers.length; i++) {
      writers[i] &= others;
    }
    faults[application] = null;
  }

  /** Address of an attached application's view. */
  long address(int application) {
    return addresses[application];
  }

  /** Faults of an application. */
  UserFault faults(int application) {
    return faults[application];
  }

  /** Index of the minipage at an application's address; -1 if the address is not in this array. */
  int indexOf(int application, long address) {
    long offset = address - addresses[application];
    return isAttached(application) && offset >= 0 && offset < layout.viewBytes() ? (int) (offset / layout.viewStrideBytes()) : -1;
  }

  // Faults.

  /**
   * Lets a thread of an application continue that stalls at an address of a minipage.
   *
   * @param flags flags of its fault
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
      install(theirs, index, view, writable); // An application has removed the page from the file; the other pages stay.
    } else if (result < 0) {
      theirs.wake(address, layout.pageBytes()); // Another thread's fault has brought the page.
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
      case 0, LinuxCalls.ESRCH -> Change.DONE; // A process that has ended writes no more.
      case LinuxCalls.EAGAIN, LinuxCalls.EINTR, LinuxCalls.ENOMEM -> Change.NOT_YET;
      default -> {
        theirs.broken(brokenView());
        yield Change.BROKEN;
      }
    };
  }

  /** The rights that a fault needs. */
  static byte wanted(long flags) {
    return (flags & (UserFault.WRITES | UserFault.PROTECTED)) != 0 ? Rights.WRITE : Rights.READ;
  }

  private void install(UserFault theirs, int index, long view, boolean writable) {
    manager.residents.add(this, index);
    long bytes = layout.pagesBytes(index);
    long result = copy(theirs, index, view, bytes, writable);
    if (result == LinuxCalls.EEXIST) { // The file was changed other than by a view.
      LinuxCalls.punch(file, layout.startOf(index), bytes);
      result = copy(theirs, index, view, bytes, writable);
    }
    if (result < 0) {
      // The application has unmapped the view, or has ended: drop the pages.
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

  /** Makes a minipage fail for an application, now and at later accesses. */
  void poison(int application, int index) {
    if (isAttached(application)) {
      faults[application].poison(addresses[application] + layout.startOf(index), layout.pagesBytes(index));
    }
  }

  // Revoking and raising rights.

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

  /** Sets minipages from {@code first} to {@code last}, which are all alike; returns false if the caller must try again. */
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

  /** Stops all writes, and copies the stores to the node's frame. Returns false if that failed; the caller must assume nothing then. */
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
    if (dirty[first] && table.gone() == null) { // The frame of a freed array may belong to another array.
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

  /** Takes minipages from all applications; their content is in the node's frame. Returns false if that failed and the caller must try again. */
  boolean drop(int first, int last) {
    if (!protect(first, last)) {
      return false;
    }
    punch(first, last);
    return true;
  }

  /** Stops serving an application that lives: it loses its pages. Its stores remain. */
  void cutOff(int application) {
    for (int i = 0; i < present.length; i++) {
      if (present[i] && !drop(i, i)) {
        writers[i] &= ~(1L << application);
        drop(i, i); // It may write for a moment longer, unseen.
      }
    }
    faults[application].poison(addresses[application], layout.viewBytes());
    detach(application);
  }

  /** Whether no application is served any more. */
  boolean isOver() {
    return ended || table.gone() != null;
  }

  /** The reason, if {@link #isOver}. */
  String whyOver() {
    return ended ? whyEnded : table.gone();
  }

  /** Whether an application's view overlaps a range of its addresses. */
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

  /** Removes all pages; later accesses fail. */
  private void endNow(String why) {
    manager.lock();
    try {
      if (!ended) {
        whyEnded = why;
        for (int i = 0; i < present.length; i++) {
          forget(i);
        }
        LinuxCalls.punch(file, 0, layout.viewBytes());
        LinuxCalls.close(file); // Processes that have mapped it keep it.
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

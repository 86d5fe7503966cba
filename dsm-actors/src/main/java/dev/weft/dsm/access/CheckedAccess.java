package dev.weft.dsm.access;

import dev.weft.dsm.wire.ObjectSpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Access control by software page tables that every access checks. It needs no privileges, and the protocol may run in the application's own JVM. */
public final class CheckedAccess implements AccessControl {
  private final Announcements announcements;
  private final boolean hasOneThread;
  private final AccessCosts costs;
  private final Function<ObjectSpec, PageTable> newTable;
  /** Sorted by first minipage; replaced in the receive context when an array is added or removed. */
  private volatile PageTable[] tables = {};
  /** Views of removed arrays, by object, until {@link #isInUse} has found that they have ended. */
  private final Map<Integer, MappedViews> ending = new HashMap<>();
  private long barriers;

  /** @param hasOneThread whether application and protocol take turns, as in virtual time, so that no barrier is needed */
  public CheckedAccess(Announcements announcements, boolean hasOneThread) {
    this(announcements, hasOneThread, AccessCosts.NONE, PageTable::new);
  }

  /**
   * The same with costs and page tables.
   *
   * @param costs receives the steps that cost time
   * @param newTable makes the page table of an array
   */
  public CheckedAccess(Announcements announcements, boolean hasOneThread, AccessCosts costs, Function<ObjectSpec, PageTable> newTable) {
    this.announcements = announcements;
    this.hasOneThread = hasOneThread;
    this.costs = costs;
    this.newTable = newTable;
  }

  /** The receiver of the costs. */
  public AccessCosts costs() {
    return costs;
  }

  /** Adds an array, without rights to its minipages. */
  public PageTable add(ObjectSpec spec) {
    PageTable[] more = Arrays.copyOf(tables, tables.length + 1);
    int at = tables.length;
    while (at > 0 && more[at - 1].spec().firstMinipage() > spec.firstMinipage()) {
      more[at] = more[--at];
    }
    more[at] = newTable.apply(spec);
    tables = more;
    return more[at];
  }

  /** Removes an array; later accesses throw with the text {@code why}. A thread in the midst of an access may finish it: {@link #isInUse}. */
  public void remove(int object, String why) {
    PageTable[] left = Arrays.stream(tables).filter(table -> table.spec().id() != object).toArray(PageTable[]::new);
    for (PageTable table : tables) {
      if (table.spec().id() == object) {
        table.end(why);
        if (table.views() != null) {
          ending.put(object, table.views());
        }
      }
    }
    tables = left;
    barrier();
  }

  /** Whether a thread is in the midst of an access to a removed array. Single reads do not count. */
  public boolean isInUse(ObjectSpec removed) {
    MappedViews views = ending.get(removed.id());
    if (views != null && !views.hasEnded()) {
      return true;
    }
    ending.remove(removed.id());
    return announcements.hasInside(removed.firstMinipage(), removed.firstMinipage() + removed.minipages() - 1);
  }

  /** The array that a minipage belongs to; null if there is none any more. */
  public PageTable tableOf(int minipage) {
    PageTable[] all = tables;
    int low = 0;
    int high = all.length - 1;
    while (low < high) {
      int middle = low + high + 1 >>> 1;
      if (all[middle].spec().firstMinipage() <= minipage) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    PageTable found = all.length == 0 ? null : all[low];
    return found != null && found.spec().hasMinipage(minipage) ? found : null;
  }

  /** The array with this name; null if there is none. */
  public PageTable tableOf(String name) {
    for (PageTable table : tables) {
      if (table.spec().name().equals(name)) {
        return table;
      }
    }
    return null;
  }

  /** All arrays, sorted by first minipage. */
  public PageTable[] tables() {
    return tables.clone();
  }

  private PageTable given(int minipage) {
    PageTable table = tableOf(minipage);
    if (table == null) {
      throw new IllegalArgumentException("no array has minipage " + minipage);
    }
    return table;
  }

  @Override
  public byte rights(int minipage) {
    PageTable table = tableOf(minipage);
    return table == null ? Rights.NONE : table.rights(minipage - table.spec().firstMinipage());
  }

  @Override
  public void grant(int minipage, byte rights) {
    raise(minipage, rights);
    costs.protect(1, given(minipage).spec().strideBytes());
  }

  private void raise(int minipage, byte rights) {
    PageTable table = given(minipage);
    table.set(minipage - table.spec().firstMinipage(), rights);
  }

  @Override
  public boolean tryRevoke(int minipage, byte rights) {
    byte before = lower(minipage, rights);
    PageTable table = given(minipage);
    if (before > rights) {
      costs.protect(1, table.spec().strideBytes());
    }
    MappedViews views = table.views();
    if (views != null) {
      return views.tryLower(minipage - table.spec().firstMinipage(), rights);
    }
    if (before == Rights.WRITE) {
      barrier();
    }
    return !announcements.hasInside(minipage, rights);
  }

  /** Lowers the rights; returns the rights before. */
  private byte lower(int minipage, byte rights) {
    PageTable table = given(minipage);
    int index = minipage - table.spec().firstMinipage();
    byte before = table.rights(index);
    if (before > rights) {
      table.set(index, rights);
    }
    return before;
  }

  private void barrier() {
    if (!hasOneThread) {
      barriers++;
      MemoryBarrier.allThreads();
    }
  }

  @Override
  public int tryProtect(int[] minipages, byte[] rights) {
    boolean wantsBarrier = false;
    if (minipages.length > 0) {
      costs.protect(minipages.length, given(minipages[0]).spec().strideBytes());
    }
    for (int i = 0; i < minipages.length; i++) {
      if (lower(minipages[i], rights[i]) < rights[i]) {
        raise(minipages[i], rights[i]);
      } else {
        wantsBarrier = true;
      }
    }
    if (wantsBarrier) {
      barrier();
    }
    for (int i = 0; i < minipages.length; i++) {
      PageTable table = given(minipages[i]);
      MappedViews views = table.views();
      if (views != null ? !views.tryLower(minipages[i] - table.spec().firstMinipage(), rights[i])
          : announcements.hasInside(minipages[i], rights[i])) {
        return i;
      }
    }
    return minipages.length;
  }

  @Override
  public boolean hasServed(int minipage) {
    PageTable table = tableOf(minipage);
    MappedViews views = table == null ? null : table.views();
    return views != null ? views.hasServed(minipage - table.spec().firstMinipage()) : announcements.hasServed(minipage, rights(minipage));
  }

  /** Number of barriers in all threads so far. */
  public long barriers() {
    return barriers;
  }
}

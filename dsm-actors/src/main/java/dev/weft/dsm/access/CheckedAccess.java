package dev.weft.dsm.access;

import dev.weft.dsm.wire.ObjectSpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Access control by page tables in software, which every access looks at. No privileges, and the protocol may run in the application's own JVM.
 */
public final class CheckedAccess implements AccessControl {
  private final Announcements announcements;
  private final boolean hasOneThread;
  private final AccessCosts costs;
  private final Function<ObjectSpec, PageTable> newTable;
  /** By first minipage; replaced when an array comes or goes, in the receive context. */
  private volatile PageTable[] tables = {};
  /** Views of arrays that were removed, by object, until somebody has asked whether they are over. */
  private final Map<Integer, MappedViews> ending = new HashMap<>();
  private long barriers;

  /**
   * @param hasOneThread whether threads of the application and the protocol take turns, as in virtual time, so that no barrier is needed
   */
  public CheckedAccess(Announcements announcements, boolean hasOneThread) {
    this(announcements, hasOneThread, AccessCosts.NONE, PageTable::new);
  }

  /**
   * The same.
   *
   * @param costs told of what is done
   * @param newTable makes the page table of an array
   */
  public CheckedAccess(Announcements announcements, boolean hasOneThread, AccessCosts costs, Function<ObjectSpec, PageTable> newTable) {
    this.announcements = announcements;
    this.hasOneThread = hasOneThread;
    this.costs = costs;
    this.newTable = newTable;
  }

  /** Who is told of what is done. */
  public AccessCosts costs() {
    return costs;
  }

  /** Adds an array; its minipages give no rights. */
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

  /** Removes an array; whoever uses it is told {@code why}. Who is in the midst of an access to it may end that: {@link #isInUse}. */
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

  /** Whether a thread is in the midst of an access to an array that was removed. A single read is not counted. */
  public boolean isInUse(ObjectSpec removed) {
    MappedViews views = ending.get(removed.id());
    if (views != null && !views.hasEnded()) {
      return true;
    }
    ending.remove(removed.id());
    return announcements.hasInside(removed.firstMinipage(), removed.firstMinipage() + removed.minipages() - 1);
  }

  /** The array that a minipage is of; null if there is none any more. */
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

  /** The array of a name; null if there is none. */
  public PageTable tableOf(String name) {
    for (PageTable table : tables) {
      if (table.spec().name().equals(name)) {
        return table;
      }
    }
    return null;
  }

  /** All arrays, by first minipage. */
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

  /** Answers what the rights were. */
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

  /** Barriers in all threads so far. */
  public long barriers() {
    return barriers;
  }
}

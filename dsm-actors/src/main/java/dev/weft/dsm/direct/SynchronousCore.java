package dev.weft.dsm.direct;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.access.RightsWaiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The faults of one node: one at a time for each minipage, for all threads that want it. The caller passes the time, and must call {@link #retry} at
 * {@link #retryAtNs}.
 *
 * <p>Bound: one fault for each minipage that a thread waits for, and {@value #PREFETCHES_MAX} prefetches. Further prefetches queue up, each minipage
 * once.
 */
public final class SynchronousCore implements SynchronousFault.Listener {
  public static final long NEVER = SynchronousFault.NEVER;
  static final int PREFETCHES_MAX = 32;

  /** The threads that want a minipage, and its running fault; null while the fault waits for its turn. */
  private static final class Want {
    final List<RightsWaiter> waiters = new ArrayList<>(1);
    SynchronousFault fault;
  }

  private final int self;
  private final LocalNode node;
  private final RemoteVerbs verbs;
  private final long graceNs;
  private final Int2ObjectHashMap<Want> wants = new Int2ObjectHashMap<>();
  /** Minipages to prefetch, which no thread waits for yet. */
  private final ArrayDeque<Integer> prefetches = new ArrayDeque<>();
  /** Number of running faults, including prefetches. */
  private int underWay;
  private long lost;
  private long readFaults;
  private long writeFaults;
  private long lockedOut;
  private long deferrals;

  /** @param graceNs how long a right stays, at most, for threads that waited for it and have not run yet */
  public SynchronousCore(int self, LocalNode node, RemoteVerbs verbs, long graceNs) {
    this.self = self;
    this.node = node;
    this.verbs = verbs;
    this.graceNs = graceNs;
  }

  /** A thread wants more rights than this node has. */
  public void onFault(int minipage, RightsWaiter waiter) {
    if (node.rights(minipage) >= waiter.rights()) {
      waiter.served();
      return;
    }
    if (waiter.rights() == Rights.WRITE) {
      writeFaults++;
    } else {
      readFaults++;
    }
    Want want = wants.computeIfAbsent(minipage, unknown -> new Want());
    want.waiters.add(waiter);
    begin(minipage, want);
  }

  /** Requests a readable copy that no thread waits for yet. */
  public void prefetch(int minipage) {
    if (node.rights(minipage) == Rights.NONE && node.homeOf(minipage) >= 0 && !wants.containsKey(minipage)) {
      Want want = new Want();
      wants.put(minipage, want);
      if (underWay < PREFETCHES_MAX) {
        begin(minipage, want);
      } else {
        prefetches.add(minipage);
      }
    }
  }

  /** Starts a fault for the highest rights wanted, unless one is running. */
  private void begin(int minipage, Want want) {
    if (want.fault != null) {
      return;
    }
    int home = node.homeOf(minipage);
    if (home < 0) {
      wants.remove(minipage);
      end(want.waiters, null);
      return;
    }
    byte rights = Rights.READ;
    for (RightsWaiter waiter : want.waiters) {
      rights = (byte) Math.max(rights, waiter.rights());
    }
    want.fault = new SynchronousFault(self, minipage, home, rights, graceNs, verbs, this);
    underWay++;
    want.fault.start();
  }

  /** Ends the waits with an error; if {@code why} is null, the threads check themselves what happened to the array. */
  private static void end(List<RightsWaiter> waiters, String why) {
    List<RightsWaiter> all = List.copyOf(waiters);
    waiters.clear();
    for (RightsWaiter waiter : all) {
      if (why == null) {
        waiter.served();
      } else {
        waiter.lost(why);
      }
    }
  }

  private SynchronousFault faultOf(int minipage) {
    Want want = wants.get(minipage);
    return want == null ? null : want.fault;
  }

  // Completions of verbs.

  public void onLocked(int minipage, long found, long owner, long copies, long nowNs) {
    SynchronousFault fault = faultOf(minipage);
    if (fault != null) {
      fault.onLocked(found, owner, copies, lost, nowNs);
      if (fault.step() == SynchronousFault.Step.LOCKED_OUT) {
        lockedOut++;
        retryAtNs = Math.min(retryAtNs, fault.dueNs());
      }
    }
  }

  public void onUnlocked(int minipage) {
    SynchronousFault fault = faultOf(minipage);
    if (fault != null) {
      fault.onUnlocked();
    }
  }

  /** As {@link SynchronousFault#onRevoked}. */
  public void onRevoked(int minipage, int from, long expected, long found, boolean isInside, long nowNs) {
    SynchronousFault fault = faultOf(minipage);
    if (fault != null) {
      fault.onRevoked(from, expected, found, isInside, nowNs);
      if (fault.dueNs() != NEVER) {
        deferrals++;
        retryAtNs = Math.min(retryAtNs, fault.dueNs());
      }
    }
  }

  public void onFetched(int minipage) {
    SynchronousFault fault = faultOf(minipage);
    if (fault != null) {
      fault.onFetched();
    }
  }

  // Events of faults.

  @Override
  public void onGranted(SynchronousFault fault) {
    Want want = wants.get(fault.minipage);
    boolean isServed = want.waiters.stream().anyMatch(waiter -> waiter.rights() <= fault.rights);
    node.grant(fault.minipage, fault.rights, isServed);
    for (Iterator<RightsWaiter> each = want.waiters.iterator(); each.hasNext();) {
      RightsWaiter waiter = each.next();
      if (waiter.rights() <= fault.rights) {
        each.remove();
        waiter.served();
      }
    }
  }

  @Override
  public void onContentLost(SynchronousFault fault) {
    end(wants.get(fault.minipage).waiters, "the only copy of " + node.nameOf(fault.minipage) + " was on a node that is lost");
  }

  @Override
  public int homeOf(int minipage) {
    return node.homeOf(minipage);
  }

  @Override
  public void onOver(SynchronousFault fault) {
    underWay--;
    if (fault.isHomeless()) {
      homeless--;
      gaveUp.add(new GivenUp(fault.minipage, fault.home(), fault.owner(), fault.copies(), fault.lostBefore() | 1L << fault.home()));
    }
    Want want = wants.get(fault.minipage);
    want.fault = null;
    if (want.waiters.isEmpty()) {
      wants.remove(fault.minipage);
    } else {
      begin(fault.minipage, want);
    }
    while (underWay < PREFETCHES_MAX && !prefetches.isEmpty()) {
      int next = prefetches.poll();
      Want waiting = wants.get(next);
      if (waiting != null) {
        begin(next, waiting);
      }
    }
  }

  // Time, ends and losses.

  private long retryAtNs = NEVER;

  /** When the caller should call {@link #retry} again; {@link #NEVER} if there is no need. */
  public long retryAtNs() {
    return retryAtNs;
  }

  /** Retries locked entries, and rights whose threads were inside. */
  public void retry(long nowNs) {
    if (nowNs < retryAtNs) {
      return;
    }
    retryAtNs = NEVER;
    for (int minipage : minipages()) {
      SynchronousFault fault = faultOf(minipage);
      if (fault != null) {
        fault.retry(nowNs);
        retryAtNs = Math.min(retryAtNs, fault.dueNs());
      }
    }
  }

  private int[] minipages() {
    int[] all = new int[wants.size()];
    int count = 0;
    for (Int2ObjectHashMap<Want>.KeyIterator each = wants.keySet().iterator(); each.hasNext();) {
      all[count++] = each.nextInt();
    }
    Arrays.sort(all);
    return all;
  }

  /** An array was freed: wakes the threads that wait for its minipages. Running faults for them end as soon as they can. */
  public void forget(int firstMinipage, int count) {
    for (int minipage : minipages()) {
      if (minipage - firstMinipage >= 0 && minipage - firstMinipage < count) {
        Want want = wants.get(minipage);
        if (want == null) {
          continue; // A fault that ended before made room for this one, which found that the array was freed.
        }
        end(want.waiters, null);
        if (want.fault == null) {
          wants.remove(minipage);
        } else {
          want.fault.abandon();
        }
      }
    }
  }

  /** Whether faults for minipages of an array are running or waiting. */
  public boolean isBusy(int firstMinipage, int count) {
    for (int minipage : minipages()) {
      if (minipage - firstMinipage >= 0 && minipage - firstMinipage < count) {
        return true;
      }
    }
    return false;
  }

  /** A node is lost; verbs to it do not complete any more. {@link LocalNode#homeOf} already returns the new homes. */
  public void onNodeLost(int lostNode) {
    lost |= 1L << lostNode;
    for (int minipage : minipages()) {
      Want want = wants.get(minipage);
      if (want == null) {
        continue;
      }
      if (want.fault != null) {
        homeless += want.fault.losesEntryWith(lostNode) ? 1 : 0;
        want.fault.onNodeLost(lostNode, lost);
      } else if (want.waiters.isEmpty() && node.homeOf(minipage) < 0) {
        wants.remove(minipage);
      }
    }
  }

  // Lost homes.

  /**
   * An entry that this node had locked when its home was lost.
   *
   * @param owner owner word of the entry
   * @param copies copies word of the entry
   * @param lost bits of that home, and of the nodes that were lost before the entry was locked
   */
  public record GivenUp(int minipage, int home, long owner, long copies, long lost) {}

  private final List<GivenUp> gaveUp = new ArrayList<>();
  /** Number of faults whose home is lost and that wait for their verbs to end. */
  private int homeless;

  /** Whether faults whose home is lost may still take rights, or change this node's frames. */
  public boolean hasHomeless() {
    return homeless > 0;
  }

  public boolean isHomeless(int minipage) {
    SynchronousFault fault = faultOf(minipage);
    return fault != null && fault.isHomeless();
  }

  /** A verb of a fault whose home is lost was not posted, and will not be. */
  public void onDropped(int minipage, int to) {
    if (isHomeless(minipage)) {
      faultOf(minipage).onDropped(to);
    }
  }

  /** Returns the entries that this node had locked at a lost home; each only once. */
  public List<GivenUp> takeGivenUp(int home) {
    List<GivenUp> found = gaveUp.stream().filter(each -> each.home == home).toList();
    gaveUp.removeAll(found);
    return found;
  }

  /** This node leaves: its waiting threads get {@code why}, and no fault starts any more. */
  public void leave(String why) {
    prefetches.clear();
    for (int minipage : minipages()) {
      Want want = wants.get(minipage);
      List<RightsWaiter> waiters = List.copyOf(want.waiters);
      want.waiters.clear();
      waiters.forEach(waiter -> waiter.refused(why));
      if (want.fault == null) {
        wants.remove(minipage);
      } else {
        want.fault.leave();
      }
    }
  }

  /** Whether no fault is running or waiting. */
  public boolean isIdle() {
    return wants.isEmpty();
  }

  public long readFaults() {
    return readFaults;
  }

  public long writeFaults() {
    return writeFaults;
  }

  /** How often an entry was found locked. */
  public long lockedOut() {
    return lockedOut;
  }

  /** How often threads of another node were inside. */
  public long deferrals() {
    return deferrals;
  }

  /** Number of waiting threads. */
  public int waiting() {
    int count = 0;
    for (Want want : wants.values()) {
      count += want.waiters.size();
    }
    return count;
  }

  /** Appends the state of a minipage, for checkers. */
  public void append(int minipage, StringBuilder to) {
    Want want = wants.get(minipage);
    if (want != null) {
      want.waiters.forEach(waiter -> to.append(waiter.rights()).append(','));
      if (want.fault != null) {
        want.fault.append(to);
      }
    }
  }
}

package dev.weft.dsm.direct;

import dev.weft.dsm.access.Rights;

/**
 * One fault of one node, step by step: lock the entry, take the rights of others, wait until none of their threads is inside, fetch the data, raise
 * the right, unlock. This class only decides; {@link RemoteVerbs} performs the steps, and {@link SynchronousCore} reports their ends.
 *
 * <p>Every fault ends, because it waits only for three things. A lock is freed by the home when the locking node is lost. Verbs complete, or their
 * node is lost. Threads inside wait only for minipages with greater numbers. When the home is lost, the fault gives up as soon as its running verbs
 * have ended.
 */
final class SynchronousFault {
  enum Step {
    LOCKING,
    /** Another node has locked the entry: this fault retries later. */
    LOCKED_OUT,
    REVOKING,
    FETCHING,
    UNLOCKING,
    OVER
  }

  /** Receives the events of a fault. */
  interface Listener {
    /** The data is here and other nodes keep no conflicting right: the listener raises the right before the entry is unlocked. */
    void onGranted(SynchronousFault fault);

    /** Only lost nodes had the data. */
    void onContentLost(SynchronousFault fault);

    void onOver(SynchronousFault fault);

    /** The node that has the entry now, or {@link LocalNode#NO_HOME}. */
    int homeOf(int minipage);
  }

  static final long NEVER = Long.MAX_VALUE;
  private static final int NOBODY = -1;
  private static final long FIRST_RETRY_NS = 1_000;
  private static final int RETRY_DOUBLINGS = 5;
  /** For a closed entry, which stays closed until all nodes have answered. */
  private static final int CLOSED_DOUBLINGS = 9;

  final int minipage;
  final byte rights;
  private final int self;
  private int home;
  private final RemoteVerbs verbs;
  private final Listener listener;
  private final long graceNs;
  private Step step = Step.LOCKING;
  private long owner;
  private long copies;
  /** Bits of the nodes that must still give rights up; bits of those with a running verb. */
  private long pending;
  private long asking;
  /** Bits of the nodes whose right is taken while threads are still inside. */
  private long taken;
  /** Nodes that had fewer rights than the entry gives them. */
  private long lowered;
  /** Bits of the nodes where a thread has waited for its right and has not come back yet to use it. */
  private long served;
  private int source = NOBODY;
  private int tries;
  private long dueNs = NEVER;
  private long graceEndsNs = NEVER;
  private boolean isAbandoned;
  /** The home was lost while the entry was locked for this fault. */
  private boolean isHomeless;
  /** Bits of the nodes that were lost when the entry was locked. */
  private long lostBefore;

  SynchronousFault(int self, int minipage, int home, byte rights, long graceNs, RemoteVerbs verbs, Listener listener) {
    this.self = self;
    this.minipage = minipage;
    this.home = home;
    this.rights = rights;
    this.graceNs = graceNs;
    this.verbs = verbs;
    this.listener = listener;
  }

  /** As {@link #start}, after looking up the home again: it may have moved. */
  private void startAgain() {
    home = listener.homeOf(minipage);
    if (home == LocalNode.NO_HOME) {
      over();
    } else {
      start();
    }
  }

  void start() {
    step = Step.LOCKING;
    dueNs = NEVER;
    verbs.lock(home, minipage, DirectoryEntry.lock(self, rights));
  }

  Step step() {
    return step;
  }

  int home() {
    return home;
  }

  /** Whether the home was lost, and the fault waits for its verbs to end before it gives up. */
  boolean isHomeless() {
    return isHomeless;
  }

  long owner() {
    return owner;
  }

  long copies() {
    return copies;
  }

  long lostBefore() {
    return lostBefore;
  }

  /** When {@link #retry} must be called; {@link #NEVER} if there is no need. */
  long dueNs() {
    return dueNs;
  }

  /** No thread wants the minipage any more: the fault ends as soon as it can, and leaves the state as the entry says. */
  void abandon() {
    isAbandoned = true;
    if (isHomeless) {
      return;
    }
    if (step == Step.LOCKED_OUT) {
      over();
    } else if (step == Step.REVOKING) {
      pending &= asking;
      advance();
    }
  }

  /** This node leaves. A fault that has not locked its entry does not start; another one runs to its end, so that no right is taken in vain. */
  void leave() {
    if (step == Step.LOCKED_OUT) {
      over();
    } else {
      isAbandoned |= step == Step.LOCKING;
    }
  }

  private void over() {
    step = Step.OVER;
    dueNs = NEVER;
    listener.onOver(this);
  }

  private void unlock(long newOwner, long newCopies) {
    step = Step.UNLOCKING;
    dueNs = NEVER;
    verbs.unlock(home, minipage, newOwner, newCopies);
  }

  /** @param lost bits of the nodes that are lost */
  void onLocked(long found, long foundOwner, long foundCopies, long lost, long nowNs) {
    if (step != Step.LOCKING) {
      return;
    }
    if (found != DirectoryEntry.FREE) {
      if (isAbandoned) {
        over();
      } else {
        step = Step.LOCKED_OUT;
        dueNs = nowNs + delayNs(found == DirectoryEntry.CLOSED ? CLOSED_DOUBLINGS : RETRY_DOUBLINGS);
      }
      return;
    }
    tries = 0;
    lowered = 0;
    lostBefore = lost;
    owner = foundOwner;
    copies = foundCopies;
    graceEndsNs = nowNs + graceNs;
    if (isAbandoned) {
      unlock(owner, copies);
    } else if (owner == DirectoryEntry.LOST || !findSource(lost)) {
      contentLost();
    } else {
      revoke(lost);
    }
  }

  private long delayNs(int doublings) {
    return FIRST_RETRY_NS << Math.min(tries++, doublings);
  }

  private void contentLost() {
    listener.onContentLost(this);
    unlock(DirectoryEntry.LOST, 0);
  }

  private boolean hasCopy() {
    return (copies & 1L << self) != 0;
  }

  /** Finds a live node that has the data. */
  private boolean findSource(long lost) {
    if (hasCopy()) {
      source = self;
    } else if ((lost & 1L << DirectoryEntry.node(owner)) == 0) {
      source = DirectoryEntry.node(owner);
    } else {
      long left = copies & ~lost;
      source = DirectoryEntry.mayWrite(owner) || left == 0 ? NOBODY : Long.numberOfTrailingZeros(left);
    }
    return source != NOBODY;
  }

  private byte target() {
    return rights == Rights.WRITE ? Rights.NONE : Rights.READ;
  }

  /** The highest right of a node by the entry, or as found: a node that died or gave up half-way may have taken its right to write. */
  private byte before(int node) {
    return (lowered & 1L << node) == 0 && DirectoryEntry.mayWrite(owner) && node == DirectoryEntry.node(owner) ? Rights.WRITE : Rights.READ;
  }

  private void revoke(long lost) {
    step = Step.REVOKING;
    long others = copies & ~(1L << self) & ~lost;
    pending = rights == Rights.WRITE ? others : DirectoryEntry.mayWrite(owner) ? others & 1L << DirectoryEntry.node(owner) : 0;
    asking = pending;
    for (long left = asking; left != 0; left &= left - 1) {
      revoke(Long.numberOfTrailingZeros(left), false);
    }
    if (pending == 0) {
      advance();
    }
  }

  private void revoke(int node, boolean isForced) {
    verbs.revoke(node, minipage, DirectoryEntry.word(before(node), isForced), target());
  }

  /**
   * A step to take a right has ended.
   *
   * @param found the word that was there; it was replaced if it was the expected one
   * @param isInside whether a thread was inside after that
   */
  void onRevoked(int node, long expected, long found, boolean isInside, long nowNs) {
    long bit = 1L << node;
    asking &= ~bit;
    if (isHomeless) {
      endHomeless();
      return;
    }
    if (step != Step.REVOKING || (pending & bit) == 0) {
      return;
    }
    boolean isTaken = found == expected || DirectoryEntry.rights(found) <= target();
    if (isAbandoned || isTaken && !isInside) {
      pending &= ~bit;
      advance();
      return;
    }
    taken = isTaken ? taken | bit : taken;
    lowered = DirectoryEntry.rights(found) == Rights.READ ? lowered | bit : lowered & ~bit;
    served = (found & DirectoryEntry.SERVED) != 0 ? served | bit : served & ~bit;
    dueNs = Math.min(dueNs, nowNs + delayNs(RETRY_DOUBLINGS));
  }

  /** Retries the steps that failed. */
  void retry(long nowNs) {
    if (nowNs < dueNs) {
      return;
    }
    dueNs = NEVER;
    if (isHomeless) {
      return;
    }
    if (step == Step.LOCKED_OUT) {
      startAgain();
    } else if (step == Step.REVOKING) {
      long again = pending & ~asking;
      asking |= again;
      for (long left = again; left != 0; left &= left - 1) {
        int node = Long.numberOfTrailingZeros(left);
        if ((taken & 1L << node) != 0) {
          verbs.look(node, minipage, target());
        } else {
          revoke(node, (served & 1L << node) != 0 && nowNs >= graceEndsNs);
        }
      }
    }
  }

  private void advance() {
    if (pending != 0 || step != Step.REVOKING) {
      return;
    }
    if (isAbandoned) {
      unlock(owner, copies);
    } else if (source == self) {
      granted();
    } else {
      step = Step.FETCHING;
      dueNs = NEVER;
      verbs.fetch(source, minipage);
    }
  }

  void onFetched() {
    if (isHomeless) {
      over();
    } else if (step == Step.FETCHING) {
      if (isAbandoned) {
        unlock(owner, copies);
      } else {
        granted();
      }
    }
  }

  private void granted() {
    listener.onGranted(this);
    if (rights == Rights.WRITE) {
      unlock(DirectoryEntry.owner(self, true), 1L << self);
    } else {
      boolean isOwn = DirectoryEntry.mayWrite(owner) && DirectoryEntry.node(owner) == self;
      unlock(isOwn ? owner : DirectoryEntry.owner(source, false), copies | 1L << self);
    }
  }

  void onUnlocked() {
    if (step == Step.UNLOCKING) {
      over();
    }
  }

  /** A node is lost; verbs to it do not complete any more. */
  void onNodeLost(int node, long lost) {
    long bit = 1L << node;
    asking &= ~bit;
    if (isHomeless) {
      if (step == Step.FETCHING ? source == node : asking == 0) {
        over();
      }
    } else if (node == home) {
      loseHome();
    } else if (step == Step.REVOKING || step == Step.FETCHING) {
      boolean wasSource = source == node;
      if (wasSource && !isAbandoned && !findAnother(lost)) {
        contentLost();
        return;
      }
      pending &= ~bit;
      if (step == Step.FETCHING && wasSource) {
        step = Step.REVOKING; // No node is left that must give rights up: the fault goes on to fetch from the other node, or to unlock.
      }
      advance();
    }
  }

  /** Whether this fault has locked the entry at the lost node, and so has lost it. */
  boolean losesEntryWith(int node) {
    return node == home && (step == Step.REVOKING || step == Step.FETCHING);
  }

  /** Running verbs may still take rights, or write into this node's frame. */
  private void loseHome() {
    if (step == Step.REVOKING || step == Step.FETCHING && source != home) {
      isHomeless = true;
      dueNs = NEVER;
      endHomeless();
    } else if (step == Step.FETCHING) {
      isHomeless = true;
      over();
    } else if (step != Step.OVER) {
      over();
    }
  }

  private void endHomeless() {
    if (step == Step.REVOKING && asking == 0) {
      over();
    }
  }

  /** A verb was not posted, and will not be. */
  void onDropped(int node) {
    asking &= ~(1L << node);
    endHomeless();
  }

  /** Rights of other nodes may have been taken, but their frames are unchanged. */
  private boolean findAnother(long lost) {
    return findSource(lost);
  }

  /** Appends the state, for checkers. */
  void append(StringBuilder to) {
    to.append((char) ('a' + step.ordinal())).append(rights).append(isAbandoned ? 'x' : '-').append(isHomeless ? 'h' : '-').append(home);
    if (step == Step.REVOKING || step == Step.FETCHING) {
      to.append(owner).append(',').append(copies).append(',').append(pending).append(',').append(asking).append(',').append(taken).append(',')
          .append(served).append(',').append(lowered).append(',').append(source).append(',').append(lostBefore);
    }
  }
}

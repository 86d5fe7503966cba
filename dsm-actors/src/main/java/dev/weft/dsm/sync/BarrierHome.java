package dev.weft.dsm.sync;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;

/** The home of one barrier: counts who comes. */
public final class BarrierHome {
  private final int object;
  private final long parties;
  private final Outbox outbox;
  private long here;
  /** Threads of each node that have come. */
  private final int[] threads = new int[Long.SIZE];
  /** The same of the round before. */
  private final int[] threadsBefore = new int[Long.SIZE];
  private long rounds;
  private boolean broken;
  /** It has taken the place of one that has retired, and not all nodes have said yet who waits. */
  private boolean gathering;
  private boolean retired;

  public BarrierHome(int object, long parties, Outbox outbox) {
    this.object = object;
    this.parties = parties;
    this.outbox = outbox;
  }

  /** Takes the place of a home that has retired. */
  public static BarrierHome takeOver(int object, long parties, Outbox outbox) {
    BarrierHome home = new BarrierHome(object, parties, outbox);
    home.gathering = true;
    return home;
  }

  /** The home before says whether the barrier is broken. */
  public void onWasHome(boolean isBroken) {
    broken |= isBroken;
  }

  /** All nodes have said who waits. */
  public void onGathered() {
    if (gathering) {
      gathering = false;
      if (broken) {
        tellBroken();
      } else if (here == parties) {
        release();
      }
    }
  }

  /** This is not its home any more; nodes tell the next one whose threads wait. */
  public void retire() {
    retired = true;
  }

  /** A node has left: its threads wait no more. */
  public void onNodeLeft(int node) {
    here -= threads[node];
    threads[node] = 0;
  }

  /** A thread of a node has come. */
  public void onArrive(int from) {
    if (retired) {
      return;
    }
    if (broken) {
      outbox.send(from, new DsmMessage.BarrierBroken(object));
      return;
    }
    here++;
    threads[from]++;
    if (here == parties && !gathering) {
      release();
    }
  }

  private void release() {
    here = 0;
    rounds++;
    for (int node = 0; node < threads.length; node++) {
      threadsBefore[node] = threads[node];
      if (threads[node] > 0) {
        outbox.send(node, new DsmMessage.BarrierRelease(object, threads[node]));
        threads[node] = 0;
      }
    }
  }

  /** A node is there no more; how many threads should have come from it nobody knows, so the barrier is broken for good. */
  public void onNodeLost(int node) {
    broken = true;
    threads[node] = 0;
    tellBroken();
  }

  private void tellBroken() {
    here = 0;
    for (int other = 0; other < threads.length; other++) {
      if (threads[other] > 0) {
        outbox.send(other, new DsmMessage.BarrierBroken(object));
        threads[other] = 0;
      }
    }
  }

  /** Rounds that are over. */
  public long rounds() {
    return rounds;
  }

  /** Whether a node was lost that may have had to do with it. */
  public boolean isBroken() {
    return broken;
  }

  /** How many threads of a node came to the round before and have not come to this one; 0 if none of any node has. */
  public int missing(int node) {
    return here == 0 ? 0 : Math.max(0, threadsBefore[node] - threads[node]);
  }

  /** Threads that have come and wait. */
  public long here() {
    return here;
  }
}

package dev.weft.dsm.sync;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;

/** The home of one barrier: counts the threads that have reached it. */
public final class BarrierHome {
  private final int object;
  private final long parties;
  private final Outbox outbox;
  private long here;
  /** Threads of each node that have reached the barrier in this round. */
  private final int[] threads = new int[Long.SIZE];
  /** Threads of each node that reached the barrier in the previous round. */
  private final int[] threadsBefore = new int[Long.SIZE];
  private long rounds;
  private boolean broken;
  /** This home replaces one that leaves, and not all nodes have reported their waiting threads yet. */
  private boolean gathering;
  private boolean retired;

  public BarrierHome(int object, long parties, Outbox outbox) {
    this.object = object;
    this.parties = parties;
    this.outbox = outbox;
  }

  /** Takes the place of a home that leaves. */
  public static BarrierHome takeOver(int object, long parties, Outbox outbox) {
    BarrierHome home = new BarrierHome(object, parties, outbox);
    home.gathering = true;
    return home;
  }

  /** The previous home reports whether the barrier is broken. */
  public void onWasHome(boolean isBroken) {
    broken |= isBroken;
  }

  /** All nodes have reported their waiting threads. */
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

  /** This node is no longer the home. Nodes report their waiting threads to the next home. */
  public void retire() {
    retired = true;
  }

  /** A node has left: its threads no longer wait. */
  public void onNodeLeft(int node) {
    here -= threads[node];
    threads[node] = 0;
  }

  /** A thread of a node has reached the barrier. */
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

  /** A node is lost. The number of its missing threads is unknown, so the barrier stays broken. */
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

  /** Number of completed rounds. */
  public long rounds() {
    return rounds;
  }

  /** Whether a node was lost that may have taken part. */
  public boolean isBroken() {
    return broken;
  }

  /** Threads of a node that came in the previous round but not yet in this one; 0 while no thread of any node has come. */
  public int missing(int node) {
    return here == 0 ? 0 : Math.max(0, threadsBefore[node] - threads[node]);
  }

  /** Number of threads that wait. */
  public long here() {
    return here;
  }
}

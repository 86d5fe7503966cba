package dev.weft.lab.seed004;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.collections.IntArrayList;

/**
 * A connection that writes, one at a time, to memory that is there, beside one whose writes, reads and atomics go to random pages. In
 * turn: with the other one silent, with it working on pages that are there, and with it working on pages of which most are absent. The
 * other one's operations are due at a steady rate, or follow one another as fast as they can.
 */
final class FaultingRun extends NetVmDrive {
  /** What the other connection does meanwhile. */
  enum Neighbour { SILENT, RESIDENT, FAULTING }

  /** What the first connection did in one phase. */
  record Phase(Neighbour neighbour, double perSecond, double neighbourPerSecond) {}

  private static final int BYSTANDER_BYTES = 8;
  private static final int BYSTANDER = -1;
  /** A phase of faults is so many times as long as another. */
  private static final int FAULTING_SHARE = 4;
  /** Bytes of local memory for each request of the faulting connection. */
  static final int SLOT_BYTES = 2 * NetVmHost.PAGE;

  private final NetVmEnd bystander;
  private final NetVmEnd other;
  private final int depth;
  private final int pages;
  private final int residentPages;
  private final long phaseNs;
  private final long intervalNs;
  private final Clock clock;
  private final SplittableRandom random;
  private final WorkRequest wr = new WorkRequest();
  private final long[] ns;
  private final long[] postedNs;
  private final List<Phase> phases = new ArrayList<>();
  private Neighbour neighbour = Neighbour.SILENT;
  private long beganNs;
  private long nextDueNs;
  private final IntArrayList idle = new IntArrayList();
  private int faulting;
  private int recorded;
  private int warming;
  private long bystanderDone;
  private long otherDone;
  private int outstanding;
  private boolean stopping;

  /**
   * A run of {@code operations} on absent pages in all.
   *
   * @param depth requests of the other connection under way
   * @param pages pages that it works on
   * @param residentPages how many of them where they are to be there
   * @param perSecond operations of the other connection that are due, or 0 for as many as it can
   */
  FaultingRun(NetVmEnd bystander, NetVmEnd other, int operations, int depth, int pages, int residentPages, long phaseNs, int perSecond,
      long seed, Clock clock) {
    this.bystander = bystander;
    this.other = other;
    this.depth = depth;
    this.pages = pages;
    this.residentPages = residentPages;
    this.phaseNs = phaseNs;
    this.clock = clock;
    intervalNs = perSecond == 0 ? 0 : 1_000_000_000L / perSecond;
    random = new SplittableRandom(seed);
    ns = new long[operations];
    postedNs = new long[depth];
  }

  @Override
  void start() {
    stopping = false;
    warming = neighbour == Neighbour.RESIDENT ? residentPages : 0;
    if (warming > 0) {
      for (int slot = 0; slot < depth; slot++) {
        touch(slot);
      }
    } else {
      begin();
    }
  }

  /** Brings a page in that is to be there. */
  private void touch(int slot) {
    if (warming > 0) {
      outstanding++;
      other.qp.postSend(wr.read(other.remote + (long) --warming * NetVmHost.PAGE, other.rkey)
          .sge(other.local.region, (long) slot * SLOT_BYTES, Long.BYTES).wrId(slot).signaled());
    } else if (outstanding == 0) {
      begin();
    }
  }

  private void begin() {
    warming = -1;
    beganNs = clock.nowNs();
    bystanderDone = 0;
    otherDone = 0;
    nextDueNs = beganNs;
    idle.clear();
    for (int slot = 0; slot < depth; slot++) {
      idle.addInt(slot);
    }
    postBystander();
    postDue(beganNs);
  }

  /** Posts what is due of the other connection, as far as it has not too many under way already. */
  private void postDue(long nowNs) {
    while (neighbour != Neighbour.SILENT && !idle.isEmpty() && nowNs >= nextDueNs) {
      nextDueNs += intervalNs;
      postOther(idle.popInt());
    }
  }

  private void postBystander() {
    outstanding++;
    bystander.qp.postSend(wr.write(bystander.remote, bystander.rkey).sge(bystander.local.region, 0, BYSTANDER_BYTES).wrId(BYSTANDER)
        .signaled());
  }

  private void postOther(int slot) {
    if (neighbour == Neighbour.FAULTING && faulting == ns.length) {
      return; // All are under way.
    }
    faulting += neighbour == Neighbour.FAULTING ? 1 : 0;
    outstanding++;
    long page = other.remote + (long) random.nextInt(neighbour == Neighbour.RESIDENT ? residentPages : pages - 1) * NetVmHost.PAGE;
    long local = (long) slot * SLOT_BYTES;
    wr.wrId(slot);
    switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> wr.write(page, other.rkey).sge(other.local.region, local, 1 + random.nextInt(NetVmHost.PAGE));
      case 4, 5 -> wr.write(page + NetVmHost.PAGE / 2, other.rkey).sge(other.local.region, local, NetVmHost.PAGE);
      case 6, 7 -> wr.read(page, other.rkey).sge(other.local.region, local, NetVmHost.PAGE);
      default -> wr.fetchAndAdd(page, other.rkey, 1).sge(other.local.region, local, Long.BYTES);
    }
    postedNs[slot] = clock.nowNs();
    other.qp.postSend(wr.wrId(slot).signaled());
  }

  @Override
  void completed(WorkCompletion wc) {
    long nowNs = clock.nowNs();
    int slot = (int) wc.wrId();
    outstanding--;
    if (warming >= 0) {
      touch(slot);
      return;
    }
    if (slot == BYSTANDER) {
      bystanderDone++;
    } else {
      if (neighbour == Neighbour.FAULTING) {
        record(nowNs - postedNs[slot]);
      }
      otherDone++;
    }
    if (!stopping && (nowNs - beganNs >= (neighbour == Neighbour.FAULTING ? FAULTING_SHARE * phaseNs : phaseNs) || recorded == ns.length)) {
      stopping = true;
      double seconds = (nowNs - beganNs) / 1e9;
      phases.add(new Phase(neighbour, bystanderDone / seconds, otherDone / seconds));
    }
    if (slot != BYSTANDER) {
      idle.addInt(slot);
    } else if (!stopping) {
      postBystander();
    }
    if (!stopping) {
      postDue(nowNs);
    } else if (outstanding == 0) {
      next();
    }
  }

  private void record(long latencyNs) {
    ns[recorded++] = latencyNs;
  }

  private void next() {
    if (recorded == ns.length) {
      finish();
      return;
    }
    neighbour = Neighbour.values()[(neighbour.ordinal() + 1) % Neighbour.values().length];
    start();
  }

  /** What each phase gave, in order. */
  List<Phase> phases() {
    return phases;
  }

  /** Nanoseconds of each operation that went to random pages. */
  long[] ns() {
    return ns;
  }
}

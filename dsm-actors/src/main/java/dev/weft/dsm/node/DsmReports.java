package dev.weft.dsm.node;

import dev.weft.dsm.direct.SynchronousCore;
import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.member.DirectEngine;
import dev.weft.dsm.member.DsmMember;
import dev.weft.dsm.member.NodeCore;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.report.DsmReport;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the visible state of a node. Used in the receive context. */
final class DsmReports {
  private static final long NS_PER_MS = 1_000_000;

  private DsmReports() {}

  static DsmReport of(DsmMember member, DsmParts parts, int max, boolean withCounters, long nowNs, long activations) {
    HomeCore homes = member.homes();
    List<DsmReport.FaultUnderWay> faults = new ArrayList<>();
    member.core().visitWants((minipage, home, isWrite, threads, sinceNs) -> faults.add(new DsmReport.FaultUnderWay(member.minipages().nameOf(minipage),
        isWrite ? "write" : "read", threads, home, (nowNs - sinceNs) / NS_PER_MS)));
    faults.sort(Comparator.comparingLong(DsmReport.FaultUnderWay::ageMs).reversed());
    List<DsmReport.Busy> busy = new ArrayList<>();
    List<DsmReport.Lock> locks = new ArrayList<>();
    List<DsmReport.Barrier> barriers = new ArrayList<>();
    List<DsmReport.Condition> conditions = new ArrayList<>();
    if (homes != null) { // Otherwise it is not a member yet.
      homes.visitBusy(max, (minipage, requester, isWrite, stage, waiting) -> busy.add(new DsmReport.Busy(member.minipages().nameOf(minipage),
          (isWrite ? "write of node " : "read of node ") + requester + ", " + stage, waiting)));
      member.sync().report(locks, barriers, conditions, nowNs);
    }
    locks.sort(Comparator.comparingLong(DsmReport.Lock::waitMs).thenComparingInt(lock -> lock.waitingNodes().size()).reversed()
        .thenComparing(DsmReport.Lock::name));
    barriers.sort(Comparator.comparingLong(DsmReport.Barrier::waitMs).reversed().thenComparing(DsmReport.Barrier::name));
    conditions.sort(Comparator.comparingLong(DsmReport.Condition::waitMs).reversed().thenComparing(DsmReport.Condition::name));
    return new DsmReport(snapshot(member, parts, activations), parts.node().name(), parts.founder(), numbers(member.lost()),
        withCounters && homes != null ? homes.states() : null, busy, withCounters ? member.sharing().report(max) : null, cut(faults, max),
        cut(locks, max), cut(barriers, max), cut(conditions, max));
  }

  /** @param activations how often the node has run its actor */
  static DsmSnapshot snapshot(DsmMember member, DsmParts parts, long activations) {
    List<DsmSnapshot.Array> arrays = new ArrayList<>();
    member.objects().stream().filter(spec -> spec.kind().isArray()).sorted(Comparator.comparingInt(ObjectSpec::id))
        .forEach(spec -> arrays.add(new DsmSnapshot.Array(spec.name(), spec.shape())));
    HomeCore homes = member.homes();
    NodeCore core = member.core();
    Peers peers = member.peers();
    boolean has = homes != null;
    DirectEngine direct = member.direct();
    SynchronousCore own = direct == null ? null : direct.core();
    return new DsmSnapshot(parts.space(), member.self(), numbers(member.members()), List.copyOf(arrays),
        own != null ? direct.homes().count(false) : has ? homes.minipages() : 0, own != null ? direct.homes().count(true) : has ? homes.lostCount() : 0,
        has ? homes.requests() : 0, has ? homes.forwards() : 0, has ? homes.fetches() : 0, has ? homes.invalidations() : 0,
        own != null ? own.readFaults() : core.readFaults(), own != null ? own.writeFaults() : core.writeFaults(),
        own != null ? own.waiting() : core.waiting(), own != null ? own.deferrals() : core.deferrals(), core.graces(), parts.access().barriers(),
        peers.sent(), peers.received(), peers.messagesRefused(), peers.bytesWritten(), peers.bytesRead(), direct == null ? 0 : direct.verbs(),
        own == null ? 0 : own.lockedOut(), has ? homes.served() : 0, has ? homes.hops() : 0,
        has ? member.moving().moves() : 0, has ? member.moving().forwarded() : 0, activations,
        member.release() == null ? null : member.release().counts(), member.group().state());
  }

  private static <T> List<T> cut(List<T> all, int max) {
    return List.copyOf(all.subList(0, Math.min(max, all.size())));
  }

  private static List<Integer> numbers(long set) {
    List<Integer> numbers = new ArrayList<>();
    for (long left = set; left != 0; left &= left - 1) {
      numbers.add(Long.numberOfTrailingZeros(left));
    }
    return numbers;
  }
}

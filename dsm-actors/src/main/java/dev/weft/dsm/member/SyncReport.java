package dev.weft.dsm.member;

import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.report.DsmReport;
import dev.weft.dsm.sync.BarrierHome;
import dev.weft.dsm.sync.LockHome;
import dev.weft.dsm.sync.LockNode;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** Describes the locks, barriers and conditions of a node for its report. */
final class SyncReport {
  private final int self;
  private final Map<Integer, ObjectSpec> specs;
  private final IntUnaryOperator homeOf;
  private final long nowNs;

  /** @param homeOf the present home of an object */
  SyncReport(int self, Map<Integer, ObjectSpec> specs, IntUnaryOperator homeOf, long nowNs) {
    this.self = self;
    this.specs = specs;
    this.homeOf = homeOf;
    this.nowNs = nowNs;
  }

  void locks(Map<Integer, LockNode<Wait.OfLock>> locks, Map<Integer, LockHome> lockHomes, List<DsmReport.Lock> toLocks) {
    locks.forEach((object, lock) -> {
      LockHome home = lockHomes.get(object);
      if (home != null || lock.waiting() > 0 || lock.isHeld()) {
        toLocks.add(new DsmReport.Lock(specs.get(object).name(), homeOf.applyAsInt(object), home != null,
            home == null ? lock.isHere() ? self : -1 : home.holder(),
            lock.isHeld(), home == null ? List.of() : home.waitingNodes(), lock.waiting(), ageMs(lock.oldest()), home != null && home.isHolderLost()));
      }
    });
  }

  void barriers(Map<Integer, ArrayDeque<Wait.OfBarrier>> barriers, Map<Integer, BarrierHome> barrierHomes, List<DsmReport.Barrier> toBarriers) {
    barriers.forEach((object, waiting) -> {
      BarrierHome home = barrierHomes.get(object);
      if (home != null || !waiting.isEmpty()) {
        ObjectSpec spec = specs.get(object);
        List<DsmReport.Missing> missing = new ArrayList<>();
        for (int node = 0; home != null && node < Long.SIZE; node++) {
          if (home.missing(node) > 0) {
            missing.add(new DsmReport.Missing(node, home.missing(node)));
          }
        }
        toBarriers.add(new DsmReport.Barrier(spec.name(), spec.length(), homeOf.applyAsInt(spec.id()), home != null, home == null ? 0 : home.rounds(),
            home == null ? waiting.size() : home.here(), missing, waiting.size(), ageMs(waiting.peek()), home != null && home.isBroken()));
      }
    });
  }

  void conditions(Collection<Wait.OfCondition> waits, List<DsmReport.Condition> toConditions) {
    Map<Integer, List<Wait.OfCondition>> byCondition = new HashMap<>();
    waits.forEach(wait -> byCondition.computeIfAbsent(wait.object, unknown -> new ArrayList<>()).add(wait));
    byCondition.forEach((object, waiting) -> toConditions.add(new DsmReport.Condition(specs.get(object).name(), homeOf.applyAsInt(object), waiting.size(),
        waiting.stream().mapToLong(wait -> ageMs(wait)).max().orElse(0))));
  }

  private long ageMs(Wait wait) {
    return wait == null ? 0 : (nowNs - wait.sinceNs) / 1_000_000;
  }
}

package dev.weft.lab.sim.pvfs;

import dev.weft.hca.node.RoleContext;
import dev.weft.lab.kit.Draw;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Daemons of a run that keep stripes on disks.
 *
 * @param times durations of each disk
 * @param context receive context of the file access managers
 */
record DiskPlan(DaemonDisk.Times times, RoleContext context) {
  private static final double SHARE = 0.4;

  /** Null for daemons that keep stripes in memory. */
  static DiskPlan draw(Draw draw) {
    boolean isThere = draw.chance(SHARE);
    DaemonDisk.Times times = new DaemonDisk.Times((long) draw.logarithmic(100, 20_000), (long) draw.logarithmic(1_000, 2_000_000));
    RoleContext context = List.of(RoleContext.ISR, RoleContext.TASK_QUEUE, RoleContext.PROCESS).get(draw.between(0, 2));
    return isThere ? new DiskPlan(times, context) : null;
  }

  static Map<String, Object> settings(Draw draw) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("weft.pvfs.daemon.zones", 12 << 20);
    map.put("weft.pvfs.daemon.disk-threads", draw.between(1, 2));
    map.put("weft.pvfs.daemon.disk-queue", draw.pick(1, 4, 256));
    map.put("weft.pvfs.daemon.objects-open", 16);
    map.put("weft.pvfs.daemon.checksums", 1 << 20);
    return map;
  }
}

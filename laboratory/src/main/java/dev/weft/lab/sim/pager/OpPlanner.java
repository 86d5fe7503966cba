package dev.weft.lab.sim.pager;

import dev.weft.lab.kit.Draw;

/** Draws requests of whole sectors: overlapping, short and long ones, and ones across servers. */
final class OpPlanner {
  /** A planned request; {@code flag} is FUA for writes and "may trim" for zeroing. */
  record Plan(OpKind kind, long offset, long length, boolean flag) {}

  private final Draw draw;
  private final ClusterScenario scenario;
  private final int sectors;
  private final int areaSectors;
  private final int requestSectors;
  private final int hotSpot;

  OpPlanner(Draw draw, ClusterScenario scenario) {
    this.draw = draw;
    this.scenario = scenario;
    this.sectors = scenario.sectors();
    this.areaSectors = (int) (scenario.areaBytes() / Sectors.BYTES);
    this.requestSectors = scenario.client().maxRequestBytes() / Sectors.BYTES;
    this.hotSpot = draw.between(0, sectors - 1);
  }

  Plan next() {
    OpKind kind = kind();
    int max = kind == OpKind.READ || kind == OpKind.WRITE ? requestSectors : Math.max(requestSectors, sectors / 3);
    int length = Math.min(sectors, draw.chance(0.3) ? max : draw.skewed(1, max));
    int offset = Math.clamp(place(length), 0, sectors - length);
    if (draw.chance(0.4)) {
      // Whole blocks, because only those become holes.
      offset = offset / 8 * 8;
      length = Math.min(sectors - offset, Math.min(max, Math.max(8, length / 8 * 8)));
    }
    return new Plan(kind, (long) offset * Sectors.BYTES, (long) length * Sectors.BYTES, draw.chance(0.5));
  }

  private OpKind kind() {
    int dice = draw.between(0, 99);
    return dice < 38 ? OpKind.READ : dice < 76 ? OpKind.WRITE : dice < 84 ? OpKind.TRIM : dice < 90 ? OpKind.ZERO
        : dice < 97 ? OpKind.STATUS : OpKind.FLUSH;
  }

  private int place(int length) {
    if (draw.chance(0.45)) {
      return hotSpot + draw.between(-8, 8);
    }
    if (scenario.servers() > 1 && draw.chance(0.3)) {
      return areaSectors * draw.between(1, scenario.servers() - 1) - draw.between(1, Math.max(1, length));
    }
    return draw.between(0, sectors - 1);
  }
}

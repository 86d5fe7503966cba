package dev.weft.hca.verbs;

import dev.weft.fabric.packet.Packet;

/** What a FLUSH achieves; bits as in {@code ibv_placement_type}. */
public final class FlushType {
  /** Every thread and every device of the target sees what was written. */
  public static final int GLOBAL = Packet.FLUSH_GLOBAL;
  /** What was written survives a loss of power of the target. */
  public static final int PERSISTENT = Packet.FLUSH_PERSISTENT;
  public static final int ALL = GLOBAL | PERSISTENT;

  private FlushType() {}
}

package dev.weft.hca.verbs;

import dev.weft.fabric.packet.Packet;

/** The effect of a FLUSH; bits as in {@code ibv_placement_type}. */
public final class FlushType {
  /** All threads and devices of the target see the written bytes. */
  public static final int GLOBAL = Packet.FLUSH_GLOBAL;
  /** The written bytes survive a loss of power of the target. */
  public static final int PERSISTENT = Packet.FLUSH_PERSISTENT;
  public static final int ALL = GLOBAL | PERSISTENT;

  private FlushType() {}
}

package dev.weft.dsm.net;

import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.settings.Engine;
import java.nio.ByteBuffer;

/**
 * The greeting that nodes exchange when they connect.
 *
 * @param node number of the sender; -1 if it wants one
 * @param assigned number that the first node assigns to a node without one
 * @param frames address of the sender's frames, for RDMA
 * @param rkey key of the frames
 * @param bytes size of the frames
 * @param direct tables of the synchronous engine; null with the request engine
 */
public record Hello(int node, int assigned, long frames, int rkey, long bytes, Direct direct) {
  /**
   * Tables of the synchronous engine.
   *
   * @param tables their address
   * @param rkey their key
   * @param minipagesMax minipages that they have room for
   * @param threadsMax threads that they have room for
   */
  public record Direct(long tables, int rkey, int minipagesMax, int threadsMax) {
    /** Why two nodes cannot be in one space, with {@code there} the tables of the other node; null if they can. */
    public static String problem(Direct there, DsmSettings here) {
      if (there == null != (here.engine() == Engine.REQUEST)) {
        return "weft.dsm.engine is " + (there == null ? Engine.REQUEST : Engine.SYNCHRONOUS).configName() + " there and "
            + here.engine().configName() + " here; must be the same";
      }
      if (there != null && (there.minipagesMax != here.minipagesMax() || there.threadsMax != here.threadsMax())) {
        return "weft.dsm.minipages-max and threads-max are " + there.minipagesMax + " and " + there.threadsMax + " there, " + here.minipagesMax()
            + " and " + here.threadsMax() + " here; must be the same with the synchronous engine";
      }
      return null;
    }
  }

  private static final int MAGIC = 0x5746_4d33;
  private static final int BYTES = 56;

  /** A greeting with the request engine. */
  public Hello(int node, int assigned, long frames, int rkey, long bytes) {
    this(node, assigned, frames, rkey, bytes, null);
  }

  public byte[] encode() {
    ByteBuffer to = ByteBuffer.allocate(BYTES).putInt(MAGIC).putInt(node).putInt(assigned).putInt(rkey).putLong(frames).putLong(bytes);
    if (direct != null) {
      to.putInt(Engine.SYNCHRONOUS.ordinal()).putLong(direct.tables).putInt(direct.rkey).putInt(direct.minipagesMax).putInt(direct.threadsMax);
    }
    return to.array();
  }

  /** Returns null if the data is not a greeting. */
  public static Hello decode(byte[] data) {
    if (data == null || data.length != BYTES) {
      return null;
    }
    ByteBuffer from = ByteBuffer.wrap(data);
    if (from.getInt() != MAGIC) {
      return null;
    }
    int node = from.getInt();
    int assigned = from.getInt();
    int rkey = from.getInt();
    long frames = from.getLong();
    long bytes = from.getLong();
    boolean isDirect = from.getInt() == Engine.SYNCHRONOUS.ordinal();
    return new Hello(node, assigned, frames, rkey, bytes, isDirect ? new Direct(from.getLong(), from.getInt(), from.getInt(), from.getInt()) : null);
  }
}

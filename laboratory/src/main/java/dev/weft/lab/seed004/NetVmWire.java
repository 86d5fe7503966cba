package dev.weft.lab.seed004;

import java.nio.ByteBuffer;

/** What the two sides of a measurement with unpinned memory tell each other. Big-endian. */
final class NetVmWire {
  static final String SERVICE = "netvm";
  static final String REPORT_SERVICE = "netvm-report";
  static final String LOCKS = "netvm-locks";

  private NetVmWire() {}

  /** Asks for memory that is written and read through the connection; or, with {@code locks}, for a partner that takes part in locks. */
  record Open(boolean unpinned, boolean locks, long bytes) {
    byte[] encode() {
      return ByteBuffer.allocate(10).put((byte) (unpinned ? 1 : 0)).put((byte) (locks ? 1 : 0)).putLong(bytes).array();
    }

    static Open decode(byte[] data) {
      ByteBuffer in = checked(data, 10);
      return new Open(in.get() != 0, in.get() != 0, in.getLong());
    }
  }

  /** Where that memory is. */
  record Opened(long addr, int rkey) {
    byte[] encode() {
      return ByteBuffer.allocate(12).putLong(addr).putInt(rkey).array();
    }

    static Opened decode(byte[] data) {
      ByteBuffer in = checked(data, 12);
      return new Opened(in.getLong(), in.getInt());
    }
  }

  /** What the far side has counted since it began; {@code redirected} are packets that waited for a page. */
  record Report(long rnrNaks, long faults, long redirected) {
    byte[] encode() {
      return ByteBuffer.allocate(24).putLong(rnrNaks).putLong(faults).putLong(redirected).array();
    }

    static Report decode(byte[] data) {
      ByteBuffer in = checked(data, 24);
      return new Report(in.getLong(), in.getLong(), in.getLong());
    }
  }

  private static ByteBuffer checked(byte[] data, int length) {
    if (data.length != length) {
      throw new IllegalArgumentException(data.length + " bytes instead of " + length + "; both sides must run the same version");
    }
    return ByteBuffer.wrap(data);
  }
}

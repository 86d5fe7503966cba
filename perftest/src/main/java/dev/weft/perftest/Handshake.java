package dev.weft.perftest;

import dev.weft.hca.verbs.QpType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The messages of the two sides in the private data of connection set-up. All fields are big-endian. */
final class Handshake {
  private static final int MAGIC = 0x57505431;
  /** Largest number of outstanding messages on one connection. */
  static final int DEPTH_MAX = 8192;

  /** Largest memory that the far side lends to one connection. */
  private static final long FAR_MEMORY_BYTES_MAX = 512L << 20;

  private static final int ERROR_BYTES_MAX = 96;

  private Handshake() {}

  /**
   * The first message of the near side.
   *
   * @param test the test
   * @param type transport service of the queue pair
   * @param verify whether the far side checks received bytes
   * @param sizeBytes length of each message
   * @param depth largest number of outstanding messages
   * @param slots slots of the far memory
   * @param strideBytes bytes from one slot to the next
   * @param inlineBytes messages up to this length are sent inline
   * @param addr first address of the memory to which the far side writes its answers
   * @param rkey remote key of that memory
   */
  record Open(PerfTest test, QpType type, boolean verify, int sizeBytes, int depth, int slots, int strideBytes, int inlineBytes,
      long addr, int rkey) {
    byte[] encode() {
      return ByteBuffer.allocate(44).putInt(MAGIC).put((byte) test.operation().ordinal()).put((byte) test.metric().ordinal())
          .put((byte) (verify ? 1 : 0)).put((byte) type.ordinal()).putInt(sizeBytes).putInt(depth).putInt(slots).putInt(strideBytes)
          .putInt(inlineBytes).putLong(addr).putInt(rkey).array();
    }

    static Open decode(byte[] data) {
      ByteBuffer in = checked(data, 44);
      int operation = in.get();
      int metric = in.get();
      if (operation < 0 || operation >= PerfOperation.values().length || metric < 0 || metric >= PerfMetric.values().length) {
        throw new IllegalArgumentException("perftest has no operation " + operation + " or metric " + metric);
      }
      PerfTest test = new PerfTest(PerfOperation.values()[operation], PerfMetric.values()[metric]);
      boolean verify = in.get() != 0;
      int service = in.get();
      if (service < 0 || service >= QpType.values().length) {
        throw new IllegalArgumentException("perftest has no transport service " + service);
      }
      Open open = new Open(test, QpType.values()[service], verify, in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt(),
          in.getLong(), in.getInt());
      if (open.sizeBytes < 1 || open.depth < 1 || open.depth > DEPTH_MAX || open.slots < 1 || open.slots > open.depth
          || open.strideBytes < open.sizeBytes + PerfParameters.headerBytes(open.type) || open.inlineBytes < 0
          || (long) open.slots * open.strideBytes > FAR_MEMORY_BYTES_MAX) {
        throw new IllegalArgumentException("perftest offers up to " + FAR_MEMORY_BYTES_MAX + " bytes and depth " + DEPTH_MAX
            + ", asked for " + open);
      }
      return open;
    }
  }

  /** The far side's answer: its memory for writes, reads and atomics, and the session's number. */
  record Opened(long session, long addr, int rkey) {
    byte[] encode() {
      return ByteBuffer.allocate(24).putInt(MAGIC).putLong(session).putLong(addr).putInt(rkey).array();
    }

    static Opened decode(byte[] data) {
      ByteBuffer in = checked(data, 24);
      return new Opened(in.getLong(), in.getLong(), in.getInt());
    }
  }

  /** Makes a request for the {@link Report} of a session. */
  static byte[] encodeQuery(long session) {
    return ByteBuffer.allocate(12).putInt(MAGIC).putLong(session).array();
  }

  static long decodeQuery(byte[] data) {
    return checked(data, 12).getLong();
  }

  /**
   * The far side's counts.
   *
   * @param received messages that reached the far side
   * @param wrong messages that differed from the expected ones
   * @param bytesCopied bytes of payload that its HCA and the trunks of its JVM have copied
   * @param retransmitted packets that its HCA retransmitted
   * @param firstError what was wrong with the first wrong message; empty if there is none
   */
  record Report(long received, long wrong, long bytesCopied, long retransmitted, String firstError) {
    byte[] encode() {
      byte[] text = firstError.getBytes(StandardCharsets.UTF_8);
      int length = Math.min(text.length, ERROR_BYTES_MAX);
      return ByteBuffer.allocate(40 + length).putInt(MAGIC).putLong(received).putLong(wrong).putLong(bytesCopied)
          .putLong(retransmitted).putInt(length).put(text, 0, length).array();
    }

    static Report decode(byte[] data) {
      ByteBuffer in = checked(data, 40);
      long received = in.getLong();
      long wrong = in.getLong();
      long bytesCopied = in.getLong();
      long retransmitted = in.getLong();
      byte[] text = new byte[Math.min(in.getInt(), in.remaining())];
      in.get(text);
      return new Report(received, wrong, bytesCopied, retransmitted, new String(text, StandardCharsets.UTF_8));
    }
  }

  private static ByteBuffer checked(byte[] data, int length) {
    ByteBuffer in = ByteBuffer.wrap(data);
    if (data.length < length || in.getInt() != MAGIC) {
      throw new IllegalArgumentException(data.length + " bytes that are not perftest's; both sides must run the same version");
    }
    return in;
  }
}

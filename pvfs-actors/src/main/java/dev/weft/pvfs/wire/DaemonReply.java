package dev.weft.pvfs.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The answer of an I/O daemon. The object is reused.
 *
 * <pre>
 *  0 version   1 kind: 0, 1 for a loan, 2 with a checksum   2 errno   4 credits that come back   8 id   16 bytes moved   24 length of the object
 * 32 checksum of the data of a read, as in DataSum; for STATFS the number of the disk   36 0
 * 40 a page, or the data of an inline or fast read: all requested bytes, zeros where the object has none
 * for a loan: 32 address   40 rkey   44 0
 * </pre>
 */
public final class DaemonReply {
  /** Length without data. */
  public static final int BYTES = 40;

  /** Length of a loan. */
  public static final int LOAN_BYTES = 48;
  private static final byte LOAN = 1;
  private static final byte CHECKED = 2;

  /** Not the answer yet, but a buffer lent for the request: {@link #loanAddress} and {@link #loanKey}. */
  public boolean isLoan;
  public long loanAddress;
  public int loanKey;
  /**
   * For a read with a checksum: {@link #sum} is that of its data, wherever the data is. For STATFS: it is the number of the disk; daemons on one disk
   * give the same number.
   */
  public boolean hasSum;
  public int sum;
  public int errno;
  /** Credits that return to the client: usually one, for the answered request. */
  public int credits;
  public long id;
  /**
   * Bytes moved; fewer than requested if the object ends before. For STAT, the time of the last known write; for STATFS, free bytes; for LIST, bytes
   * of the page; for SCRUB, bad blocks.
   */
  public long bytes;
  /**
   * Length of the object afterwards. For STATFS, all bytes of the disk; for LIST, the cookie of the next page; for SCRUB, the offset to continue
   * from.
   */
  public long objectBytes;
  private String problem;

  public DaemonReply set(long requestId, int error, long moved, long length) {
    id = requestId;
    errno = error;
    bytes = moved;
    objectBytes = length;
    credits = 1;
    hasSum = false;
    sum = 0;
    return this;
  }

  /** Adds a checksum. */
  public DaemonReply checked(int dataSum) {
    hasSum = true;
    sum = dataSum;
    return this;
  }

  /** Writes the loan of a buffer for a request; it returns no credit. */
  public int encodeLoan(MemorySegment to, long at, long requestId, long address, int rkey) {
    set(requestId, 0, 0, 0);
    credits = 0;
    encode(to, at);
    to.set(ValueLayout.JAVA_BYTE, at + 1, LOAN);
    to.set(DaemonRequest.LONG, at + 32, address);
    to.set(DaemonRequest.INT, at + 40, rkey);
    to.set(DaemonRequest.INT, at + 44, 0);
    return LOAN_BYTES;
  }

  public void encode(MemorySegment to, long at) {
    to.set(ValueLayout.JAVA_BYTE, at, DaemonRequest.VERSION);
    to.set(ValueLayout.JAVA_BYTE, at + 1, hasSum ? CHECKED : 0);
    to.set(ValueLayout.JAVA_BYTE, at + 2, (byte) errno);
    to.set(ValueLayout.JAVA_BYTE, at + 3, (byte) (errno >>> 8));
    to.set(DaemonRequest.INT, at + 4, credits);
    to.set(DaemonRequest.LONG, at + 8, id);
    to.set(DaemonRequest.LONG, at + 16, bytes);
    to.set(DaemonRequest.LONG, at + 24, objectBytes);
    to.set(DaemonRequest.INT, at + 32, sum);
    to.set(DaemonRequest.INT, at + 36, 0);
  }

  /** Reads an answer; returns false if it is invalid, and {@link #problem} says why. */
  public boolean decode(MemorySegment from, long at, int length) {
    if (length < BYTES || from.get(ValueLayout.JAVA_BYTE, at) != DaemonRequest.VERSION) {
      problem = length < BYTES ? "a reply of " + length + " bytes, the shortest has " + BYTES
          : "version " + from.get(ValueLayout.JAVA_BYTE, at) + " of the protocol, this client has " + DaemonRequest.VERSION;
      return false;
    }
    isLoan = from.get(ValueLayout.JAVA_BYTE, at + 1) == LOAN;
    if (isLoan && length != LOAN_BYTES) {
      problem = "a loan of " + length + " bytes, it has " + LOAN_BYTES;
      return false;
    }
    loanAddress = isLoan ? from.get(DaemonRequest.LONG, at + 32) : 0;
    loanKey = isLoan ? from.get(DaemonRequest.INT, at + 40) : 0;
    hasSum = from.get(ValueLayout.JAVA_BYTE, at + 1) == CHECKED;
    sum = hasSum ? from.get(DaemonRequest.INT, at + 32) : 0;
    errno = (from.get(ValueLayout.JAVA_BYTE, at + 2) & 0xff) | (from.get(ValueLayout.JAVA_BYTE, at + 3) & 0xff) << 8;
    credits = from.get(DaemonRequest.INT, at + 4);
    id = from.get(DaemonRequest.LONG, at + 8);
    bytes = from.get(DaemonRequest.LONG, at + 16);
    objectBytes = from.get(DaemonRequest.LONG, at + 24);
    problem = credits < 0 || credits > 65_536 || bytes < 0 || objectBytes < 0
        ? "a reply with " + credits + " credits, " + bytes + " bytes, a length of " + objectBytes : null;
    return problem == null;
  }

  public String problem() {
    return problem;
  }
}

package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;

/**
 * The calling end of remote procedure calls (CLAN, section 4.1). The request is written into the server's buffer, the reply into the client's buffer.
 * One flag and one Tripwire at each end are enough, because the other end's message shows that the buffer is free. A flag contains the number of the
 * call and the length of the message.
 */
public final class RpcClient extends End {
  static final long FLAG = 0;
  static final long BUFFER = 64;
  private static final int LENGTH_BITS = 32;

  private int call;
  private boolean outstanding;

  /** A client for replies of at most {@code replyMaxBytes}. */
  public RpcClient(Nic nic, int replyMaxBytes) {
    super(nic, BUFFER + replyMaxBytes, FLAG);
  }

  static long flag(int call, int length) {
    return (long) call << LENGTH_BITS | length;
  }

  static int callOf(long flag) {
    return (int) (flag >>> LENGTH_BITS);
  }

  static int lengthOf(long flag) {
    return (int) flag;
  }

  /** Sends a request; returns false if a call is outstanding or the NIC has no room. */
  public boolean tryCall(MemorySegment request, long offset, int length) {
    if (!flush() || outstanding || !peer().write(BUFFER, request, offset, length)) {
      return false;
    }
    outstanding = true;
    writeWord(FLAG, flag(++call, length));
    return true;
  }

  /**
   * The reply to the last call, in place, valid until the next call; null until it arrives.
   *
   * @throws dev.weft.tripwire.nic.NicException INVALID if the other end has written an impossible length
   */
  public MemorySegment reply() {
    flush();
    long flag = word(FLAG);
    if (callOf(flag) != call || call == 0) {
      return null;
    }
    outstanding = false;
    return message("a reply", BUFFER, lengthOf(flag));
  }
}

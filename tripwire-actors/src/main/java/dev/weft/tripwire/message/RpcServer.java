package dev.weft.tripwire.message;

import dev.weft.tripwire.Nic;
import java.lang.foreign.MemorySegment;

/** The serving end of remote procedure calls of one client; see {@link RpcClient}. */
public final class RpcServer extends End {
  private int served;

  /** A server that takes requests of at most {@code requestMaxBytes}. */
  public RpcServer(Nic nic, int requestMaxBytes) {
    super(nic, RpcClient.BUFFER + requestMaxBytes, RpcClient.FLAG);
  }

  /**
   * The request that is not answered yet, in place; null if there is none.
   *
   * @throws dev.weft.tripwire.NicException INVALID if the other end has written a length that cannot be
   */
  public MemorySegment request() {
    long flag = word(RpcClient.FLAG);
    return flush() && RpcClient.callOf(flag) != served
        ? message("a request", RpcClient.BUFFER, RpcClient.lengthOf(flag)) : null;
  }

  /** Answers the request; false if the NIC has no room, then nothing was sent. */
  public boolean tryReply(MemorySegment reply, long offset, int length) {
    if (!flush() || (length > 0 && !peer().write(RpcClient.BUFFER, reply, offset, length))) {
      return false;
    }
    served = RpcClient.callOf(word(RpcClient.FLAG));
    writeWord(RpcClient.FLAG, RpcClient.flag(served, length));
    return true;
  }
}

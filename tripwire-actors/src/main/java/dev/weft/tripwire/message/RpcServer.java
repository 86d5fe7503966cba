package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;

/** The serving end of one client's remote procedure calls; see {@link RpcClient}. */
public final class RpcServer extends End {
  private int served;

  /** A server for requests of at most {@code requestMaxBytes}. */
  public RpcServer(Nic nic, int requestMaxBytes) {
    super(nic, RpcClient.BUFFER + requestMaxBytes, RpcClient.FLAG);
  }

  /**
   * The unanswered request, in place; null if there is none.
   *
   * @throws dev.weft.tripwire.nic.NicException INVALID if the other end has written an impossible length
   */
  public MemorySegment request() {
    long flag = word(RpcClient.FLAG);
    return flush() && RpcClient.callOf(flag) != served
        ? message("a request", RpcClient.BUFFER, RpcClient.lengthOf(flag)) : null;
  }

  /** Answers the request; returns false, and sends nothing, if the NIC has no room. */
  public boolean tryReply(MemorySegment reply, long offset, int length) {
    if (!flush() || (length > 0 && !peer().write(RpcClient.BUFFER, reply, offset, length))) {
      return false;
    }
    served = RpcClient.callOf(word(RpcClient.FLAG));
    writeWord(RpcClient.FLAG, RpcClient.flag(served, length));
    return true;
  }
}

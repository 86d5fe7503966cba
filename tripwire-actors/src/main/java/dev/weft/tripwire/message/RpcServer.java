package dev.weft.tripwire.message;

import dev.weft.tripwire.Descriptor;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.Tripwire;
import java.lang.foreign.MemorySegment;

/** The serving end of remote procedure calls of one client; see {@link RpcClient}. */
public final class RpcServer implements AutoCloseable {
  private final Shared shared;
  private int served;

  /** A server that takes requests of at most {@code requestMaxBytes}. */
  public RpcServer(Nic nic, int requestMaxBytes) {
    shared = new Shared(nic, RpcClient.BUFFER + requestMaxBytes, RpcClient.FLAG);
  }

  /** For the client. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  public void connect(Descriptor client) {
    shared.connect(client);
  }

  /** Fires when a request is there; armed by the caller. */
  public Tripwire ready() {
    return shared.tripwire;
  }

  /** The request that is not answered yet, in place; null if there is none. */
  public MemorySegment request() {
    long flag = shared.word(RpcClient.FLAG);
    return shared.settle() && RpcClient.callOf(flag) != served
        ? shared.memory.asSlice(RpcClient.BUFFER, RpcClient.lengthOf(flag)).asReadOnly() : null;
  }

  /** Answers the request; false if the NIC has no room, then nothing was sent. */
  public boolean tryReply(MemorySegment reply, long offset, int length) {
    if (!shared.settle() || (length > 0 && !shared.peer().write(RpcClient.BUFFER, reply, offset, length))) {
      return false;
    }
    served = RpcClient.callOf(shared.word(RpcClient.FLAG));
    shared.writeWord(RpcClient.FLAG, RpcClient.flag(served, length));
    return true;
  }

  @Override
  public void close() {
    shared.close();
  }
}

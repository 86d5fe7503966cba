package dev.weft.dsm.mmu;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.access.StackRoom;
import dev.weft.dsm.mmu.MmuWire.Reply;
import dev.weft.dsm.mmu.MmuWire.Request;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A connection of a process to its node: one request and its reply at a time. Any thread. An interrupt does not end the wait for a reply. If an error
 * ends it, the connection is over, and the next request needs a new one.
 */
final class MmuConnection implements AutoCloseable {
  private static final String ENDED = "the node has ended the connection";

  private final UnixSocket socket;
  private final MemorySegment request = MmuWire.buffer(MmuWire.REQUEST_BYTES);
  private final MemorySegment reply = MmuWire.buffer(MmuWire.REPLY_BYTES);
  private volatile boolean isOver;

  MmuConnection(Path path) {
    socket = UnixSocket.connect(path);
  }

  synchronized Reply ask(Request what, int... files) {
    StackRoom.require();
    if (isOver) {
      throw new IllegalStateException(ENDED);
    }
    what.encode(request);
    isOver = true; // Set until the reply arrives, so that no reply is taken for that of another request.
    socket.send(request, files); // A node that has refused and closed the connection has left its reply.
    if (socket.receive(reply) != MmuWire.REPLY_BYTES) {
      throw new IllegalStateException(ENDED);
    }
    Reply answer = Reply.decode(reply);
    isOver = false;
    if (answer.status() == MmuWire.NODE_LOST) {
      throw new NodeLostException(answer.text());
    }
    if (answer.status() != MmuWire.OK) {
      isOver = answer.status() == MmuWire.REFUSED && answer.value() == MmuWire.CONNECTION;
      throw new MmuException(answer.text());
    }
    return answer;
  }

  /**
   * Whether the connection is unusable: the node refused or ended it, or a reply did not come. The caller of that request got the error. Called by
   * the connection's thread.
   */
  boolean isOver() {
    return isOver;
  }

  /** The files of the last reply; the caller must close them. */
  int[] takeFiles() {
    return socket.takeFiles();
  }

  @Override
  public void close() {
    socket.close();
  }
}

package dev.weft.dsm.mmu;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.mmu.MmuWire.Reply;
import dev.weft.dsm.mmu.MmuWire.Request;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** A connection of a process to its node: a request, and its reply. Any thread, one after the other. */
final class MmuConnection implements AutoCloseable {
  private final UnixSocket socket;
  private final MemorySegment request = MmuWire.buffer(MmuWire.REQUEST_BYTES);
  private final MemorySegment reply = MmuWire.buffer(MmuWire.REPLY_BYTES);
  private volatile boolean isOver;

  MmuConnection(Path path) {
    socket = UnixSocket.connect(path);
  }

  synchronized Reply ask(Request what, int... files) {
    what.encode(request);
    socket.send(request, files); // A node that has refused and gone has left its reply.
    if (socket.receive(reply) != MmuWire.REPLY_BYTES) {
      isOver = true;
      throw new IllegalStateException("the node has ended the connection");
    }
    Reply answer = Reply.decode(reply);
    if (answer.status() == MmuWire.NODE_LOST) {
      throw new NodeLostException(answer.text());
    }
    if (answer.status() != MmuWire.OK) {
      isOver = answer.status() == MmuWire.REFUSED && answer.value() == MmuWire.CONNECTION;
      throw new MmuException(answer.text());
    }
    return answer;
  }

  /** Whether the node has refused it, or has ended it: nothing can be asked by it any more, and who asked has been told. Any thread, at once. */
  boolean isOver() {
    return isOver;
  }

  /** The files of the last reply, whose receiver closes them. */
  int[] takeFiles() {
    return socket.takeFiles();
  }

  @Override
  public void close() {
    socket.close();
  }
}

package dev.weft.pvfs.daemon;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.pvfs.wire.Hello;
import java.util.ArrayDeque;

/** A connection to a client, what is lent to it, and what it has under way. */
final class DaemonClient {
  final String node;
  final MessageChannel channel;
  /** The client's buffers, and what else it said. */
  final Hello theirs;
  /** Lent to the client; null if nothing is. Its key ends with the connection. */
  final MemoryRegion fast;
  final int slotBytes;
  final int operationsMax;
  /** What it has had done, on earlier connections too. */
  final DoneRequests done;
  final VerifiedCapabilities verified = new VerifiedCapabilities();
  /** That have RDMA requests to post still, in order. */
  final ArrayDeque<DaemonOperation> posting = new ArrayDeque<>();
  /** That wait for a zone buffer, in order. */
  final ArrayDeque<DaemonOperation> wanting = new ArrayDeque<>();
  /** Parts that have RDMA requests to post still, in order. */
  final ArrayDeque<DiskJob> partsToPost = new ArrayDeque<>();
  /** Whose buffer is to be given or taken back, in order. */
  final ArrayDeque<DaemonOperation> lending = new ArrayDeque<>();
  /** Whose answer waits for a send buffer. */
  final ArrayDeque<DaemonOperation> answering = new ArrayDeque<>();
  /** Used again; as many as there ever were, which are those of its credits, and of answers that are on their way. */
  private final ArrayDeque<DaemonOperation> free = new ArrayDeque<>();
  private int underWay;
  Connection connection;
  boolean isClosed;
  long requests;

  DaemonClient(String node, MessageChannel channel, Hello theirs, MemoryRegion fast, int slotBytes, int operationsMax, DoneRequests done) {
    this.done = done;
    this.node = node;
    this.channel = channel;
    this.theirs = theirs;
    this.fast = fast;
    this.slotBytes = slotBytes;
    this.operationsMax = operationsMax;
    channel.attach(this);
  }

  /** Null if the client has as many under way as it may. */
  DaemonOperation take() {
    if (underWay == operationsMax) {
      return null;
    }
    underWay++;
    DaemonOperation operation = free.poll();
    return operation == null ? new DaemonOperation(this) : operation;
  }

  /** The answer of one is sent, and with it its credit, which the client may use before we know that it has come. */
  void answered() {
    underWay--;
  }

  /** Nothing is moved for it any more. It keeps no memory for what comes next: others may have more need of it. */
  void giveBack(DaemonOperation operation) {
    operation.request.clear();
    operation.data = null;
    free.add(operation);
  }

  int underWay() {
    return underWay;
  }
}

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
  private final ArrayDeque<DaemonOperation> free = new ArrayDeque<>();
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
    for (int i = 0; i < operationsMax; i++) {
      free.add(new DaemonOperation(this));
    }
    channel.attach(this);
  }

  /** Null if the client has as many under way as it may. */
  DaemonOperation take() {
    return free.poll();
  }

  /** It keeps no memory for what comes next: others may have more need of it. */
  void giveBack(DaemonOperation operation) {
    operation.request.clear();
    operation.data = null;
    free.add(operation);
  }

  int underWay() {
    return operationsMax - free.size();
  }
}

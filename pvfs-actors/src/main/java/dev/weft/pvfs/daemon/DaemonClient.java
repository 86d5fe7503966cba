package dev.weft.pvfs.daemon;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.pvfs.wire.Hello;
import java.util.ArrayDeque;

/** A connection to a client, with the buffers lent to it and its operations. */
final class DaemonClient {
  final String node;
  final MessageChannel channel;
  /** The client's hello, with its buffers. */
  final Hello theirs;
  /** Buffers lent to the client; null if there are none. Their key ends with the connection. */
  final MemoryRegion fast;
  final int slotBytes;
  final int operationsMax;
  /** The client's completed requests, also on earlier connections. */
  final DoneRequests done;
  final VerifiedCapabilities verified = new VerifiedCapabilities();
  /** Operations with RDMA requests still to post, in order. */
  final ArrayDeque<DaemonOperation> posting = new ArrayDeque<>();
  /** Operations that wait for a zone buffer, in order. */
  final ArrayDeque<DaemonOperation> wanting = new ArrayDeque<>();
  /** Parts with RDMA requests still to post, in order. */
  final ArrayDeque<DiskJob> partsToPost = new ArrayDeque<>();
  /** Operations whose loan is to be bound or revoked, in order. */
  final ArrayDeque<DaemonOperation> lending = new ArrayDeque<>();
  /** Operations whose answer waits for a send buffer. */
  final ArrayDeque<DaemonOperation> answering = new ArrayDeque<>();
  /** For reuse; at most as many as the client's credits and the answers on their way. */
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

  /** Returns the client of a channel. */
  static DaemonClient of(MessageChannel channel) {
    return (DaemonClient) channel.attachment();
  }

  /** Returns the client whose connection an event concerns. */
  static DaemonClient of(ConnectionEvent event) {
    return (DaemonClient) event.context();
  }

  /** Returns null if the client has its maximum number under way. */
  DaemonOperation take() {
    if (underWay == operationsMax) {
      return null;
    }
    underWay++;
    DaemonOperation operation = free.poll();
    return operation == null ? new DaemonOperation(this) : operation;
  }

  /** The answer of an operation is sent, and with it its credit. The client may use that before this daemon knows that it arrived. */
  void answered() {
    underWay--;
  }

  /** Takes back an operation whose data no longer moves. It drops its data: others may need the memory more. */
  void giveBack(DaemonOperation operation) {
    operation.request.clear();
    operation.data = null;
    free.add(operation);
  }

  int underWay() {
    return underWay;
  }
}

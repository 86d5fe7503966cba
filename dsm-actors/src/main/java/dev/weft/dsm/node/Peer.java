package dev.weft.dsm.node;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.QueuePairChannel;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.IntPredicate;

/** Another node, as one node sees it. Used in the receive context. */
final class Peer {
  /** What could not be posted yet, in order. */
  sealed interface Outgoing {
    /** Whether one of these minipages is to be read here, and not all of it was asked for yet. */
    default boolean isToRead(IntPredicate among) {
      return this instanceof Move move && move.isRead && among.test(move.minipage);
    }
  }

  record Message(dev.weft.dsm.wire.DsmMessage message) implements Outgoing {}

  /** A minipage, or another piece of the frames, by RDMA, in parts. */
  static final class Move implements Outgoing {
    final int minipage;
    final int op;
    final boolean isRead;
    /** Where it is in the frames, when something was posted. */
    long offset;
    long bytes;
    /** Bytes that are posted. */
    long done;

    Move(int minipage, int op, boolean isRead) {
      this.minipage = minipage;
      this.op = op;
      this.isRead = isRead;
    }

    /** A piece of the frames that is no minipage, to be written. */
    Move(long offset, long bytes) {
      this(-1, 0, false);
      this.offset = offset;
      this.bytes = bytes;
    }
  }

  /** A step of a fault of the synchronous engine. */
  static final class Step implements Outgoing {
    final DirectOp op;
    /** Work requests that are posted. */
    int done;

    Step(DirectOp op) {
      this.op = op;
    }
  }

  /** 0 of the one that was asked for a number and has not answered. */
  int id;
  final String name;
  final QueuePairChannel channel;
  final ByteBuffer buffers;
  final ArrayDeque<Outgoing> backlog = new ArrayDeque<>();
  /** What it has said before this side has heard that it is connected. Bound: what all its threads and homes have under way with this node. */
  final ArrayDeque<dev.weft.dsm.wire.DsmMessage> early = new ArrayDeque<>(0);
  Connection connection;
  long frames;
  int rkey;
  /** Where the tables of its synchronous engine are, and their key. */
  long tables;
  int tablesRkey;
  /** Both queue pairs are ready. */
  boolean isReady;
  boolean isLost;
  /** This node has given it its number. */
  boolean isNew;
  /** This side has asked it, and it has not answered yet. */
  boolean isAsked;

  Peer(int id, String name, QueuePairChannel channel) {
    this.id = id;
    this.name = name;
    this.channel = channel;
    this.buffers = channel.buffers().asByteBuffer();
  }

  /** What it says of itself. */
  void knows(Hello hello) {
    frames = hello.frames();
    rkey = hello.rkey();
    if (hello.direct() != null) {
      tables = hello.direct().tables();
      tablesRkey = hello.direct().rkey();
    }
  }
}

package dev.weft.dsm.net;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.QueuePairChannel;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.IntPredicate;

/** Another node, from the view of one node. Used in the receive context. */
public final class Peer {
  /** Messages and transfers that could not be posted yet, in order. */
  sealed interface Outgoing {
    /** Whether this is an unfinished read of one of these minipages. */
    default boolean isToRead(IntPredicate among) {
      return this instanceof Move move && move.isRead && among.test(move.minipage);
    }
  }

  record Message(dev.weft.dsm.wire.DsmMessage message) implements Outgoing {}

  /** A transfer of a minipage, or of another piece of the frames, by RDMA in parts. */
  static final class Move implements Outgoing {
    final int minipage;
    final int op;
    final boolean isRead;
    /** Offset in the frames; set when the first part is posted. */
    long offset;
    long bytes;
    /** Number of posted bytes. */
    long done;

    Move(int minipage, int op, boolean isRead) {
      this.minipage = minipage;
      this.op = op;
      this.isRead = isRead;
    }

    /** A write of a piece of the frames that is not a minipage. */
    Move(long offset, long bytes) {
      this(-1, 0, false);
      this.offset = offset;
      this.bytes = bytes;
    }
  }

  /** A step of a fault of the synchronous engine. */
  static final class Step implements Outgoing {
    final DirectOp op;
    /** Number of posted work requests. */
    int done;

    Step(DirectOp op) {
      this.op = op;
    }
  }

  /** 0 for a node that was asked for a number and has not answered yet. */
  public int id;
  public final String name;
  public final QueuePairChannel channel;
  final ByteBuffer buffers;
  final ArrayDeque<Outgoing> backlog = new ArrayDeque<>();
  /**
   * Messages that arrived before this side learned that the connection is made. Bound: the operations of all threads and homes of the peer with this
   * node.
   */
  public final ArrayDeque<dev.weft.dsm.wire.DsmMessage> early = new ArrayDeque<>(0);
  public Connection connection;
  public long frames;
  public int rkey;
  /** Address and key of the tables of its synchronous engine. */
  public long tables;
  public int tablesRkey;
  /** Both queue pairs are ready. */
  public boolean isReady;
  public boolean isLost;
  /** This node has assigned its number. */
  public boolean isNew;
  /** This side has asked it, and it has not answered yet. */
  public boolean isAsked;

  Peer(int id, String name, QueuePairChannel channel) {
    this.id = id;
    this.name = name;
    this.channel = channel;
    this.buffers = channel.buffers().asByteBuffer();
  }

  /** Stores the values of its greeting. */
  public void knows(Hello hello) {
    frames = hello.frames();
    rkey = hello.rkey();
    if (hello.direct() != null) {
      tables = hello.direct().tables();
      tablesRkey = hello.direct().rkey();
    }
  }
}

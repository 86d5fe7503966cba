package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.Draw;
import java.util.ArrayList;
import java.util.List;

/** Draws the requests of one end, their expected results, and the expected content of the peer's memory. */
final class EndPlanner {
  private static final int OPS_MAX = 30;
  /** Occasionally a long run of short messages. */
  private static final int SHORT_OPS_MAX = 120;
  private static final int SHORT_MESSAGE_MAX = 600;
  private static final int PACKETS_MAX = 240;
  private static final int BYTES_MAX = 60_000;
  private static final int MESSAGE_MAX = 40_000;
  private static final int WINDOW_BYTES_MAX = 12_000;

  private final Draw draw;
  private final EndShape shape;
  private final SimNode own;
  private final SimNode peer;
  private final int mtu;
  private final List<Op> ops = new ArrayList<>();
  private final int windowAt;
  private final int windowBytes;
  private int bytesLeft = BYTES_MAX;
  private int packetsLeft = PACKETS_MAX;
  private final int opsMax;
  private final int messageMax;
  /** Number of unsignaled requests since the last signaled one. */
  private int unsignaled;
  private boolean windowWasRead;
  /** The last read whose data a later request may send. */
  private Op readToForward;

  EndPlanner(Draw draw, EndShape shape, SimNode own, SimNode peer, int mtu) {
    this.draw = draw;
    this.shape = shape;
    this.own = own;
    this.peer = peer;
    this.mtu = mtu;
    boolean manyShort = draw.chance(0.1);
    opsMax = manyShort ? SHORT_OPS_MAX : OPS_MAX;
    messageMax = manyShort ? SHORT_MESSAGE_MAX : MESSAGE_MAX;
    windowBytes = draw.between(64, WINDOW_BYTES_MAX);
    windowAt = peer.allocateWindow(windowBytes);
  }

  List<Op> plan() {
    WrOpcode[] kinds = {WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM,
      WrOpcode.RDMA_READ, WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD};
    int count = draw.skewed(1, opsMax);
    // Swarm again: some queue pairs use only two kinds, so that rare sequences of them become frequent.
    int kindsUsed = draw.chance(0.5) ? (1 << kinds.length) - 1 : draw.between(1, (1 << kinds.length) - 1);
    while (ops.size() < count) {
      int pick = draw.between(0, kinds.length - 1);
      if ((kindsUsed & (1 << pick)) != 0) {
        add(kinds[pick]);
      }
    }
    ops.getLast().signaled = true;
    return ops;
  }

  private void add(WrOpcode kind) {
    Op op = switch (kind) {
      case SEND, SEND_WITH_IMM -> outgoing(kind, messageLength(messageMax));
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> write(kind);
      case RDMA_READ -> read();
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> atomic();
      case LOCAL_INV, BIND_MW, SEND_WITH_INV, FLUSH, ATOMIC_WRITE -> throw new IllegalArgumentException("not simulated");
    };
    op.signaled = shape.signalAll() || draw.chance(shape.signaledShare());
    unsignaled = op.signaled ? 0 : unsignaled + 1;
    if (unsignaled == shape.sendDepth()) {
      op.signaled = true; // A queue full of unsignaled requests would stay full.
      unsignaled = 0;
    }
    op.fence |= draw.chance(0.05);
    op.solicited = draw.chance(0.5);
    if (op.hasImmediate()) {
      op.immediate = draw.nextInt();
    }
    int packets = Math.max(1, (op.length + mtu - 1) / mtu);
    packetsLeft -= packets;
    bytesLeft -= op.length;
    ops.add(op);
  }

  private int messageLength(int max) {
    int limit = Math.max(0, Math.min(Math.min(max, bytesLeft), (packetsLeft - (opsMax - ops.size())) * mtu));
    double kind = draw.between(0, 99);
    int length;
    if (kind < 6) {
      length = 0;
    } else if (kind < 40) {
      length = draw.between(1, 64);
    } else if (kind < 70) {
      length = draw.between(1, 5) * mtu + draw.between(-1, 1);
    } else {
      length = draw.skewed(1, MESSAGE_MAX);
    }
    return Math.min(limit, length);
  }

  /** A request that sends bytes of this node. */
  private Op outgoing(WrOpcode kind, int length) {
    if (readToForward != null && draw.chance(0.3)) {
      return forward(kind);
    }
    if (length <= shape.inlineMax() && draw.chance(0.4)) {
      Op op = new Op(ops.size(), kind, length, owned(length, 1));
      op.inline = true;
      op.ownsPieces = true;
      op.bytes = randomBytes(length);
      return op;
    }
    boolean ownsPieces = draw.chance(0.4);
    List<Piece> pieces = ownsPieces ? owned(length, shape.sgeMax()) : shared(length);
    Op op = new Op(ops.size(), kind, length, pieces);
    op.ownsPieces = ownsPieces;
    op.bytes = ownsPieces ? randomBytes(length) : gather(own.source, pieces);
    return op;
  }

  /** Sends the data of an earlier read, after a fence. */
  private Op forward(WrOpcode kind) {
    Op read = readToForward;
    readToForward = null;
    read.forwarded = true;
    Op op = new Op(ops.size(), kind, read.length, read.pieces);
    op.bytes = read.bytes;
    op.fence = true;
    op.forward = true;
    op.ownsPieces = true;
    return op;
  }

  private Op write(WrOpcode kind) {
    Op op = outgoing(kind, messageLength(Math.min(messageMax, windowBytes)));
    op.remoteArea = Piece.Area.WINDOWS;
    op.remoteOffset = windowAt + draw.between(0, windowBytes - op.length);
    System.arraycopy(op.bytes, 0, peer.windowModel(), op.remoteOffset, op.length);
    // An unfinished read may or may not see a later write; the fence makes it certain.
    op.fence |= windowWasRead;
    windowWasRead = false;
    return op;
  }

  private Op read() {
    boolean window = draw.chance(0.5);
    int length = messageLength(Math.min(messageMax, window ? windowBytes : SimNode.SOURCE_BYTES));
    Op op = new Op(ops.size(), WrOpcode.RDMA_READ, length, owned(length, shape.sgeMax()));
    byte[] content = window ? peer.windowModel() : peer.source;
    op.remoteArea = window ? Piece.Area.WINDOWS : Piece.Area.SOURCE;
    op.remoteOffset = window ? windowAt + draw.between(0, windowBytes - length) : draw.between(0, content.length - length);
    op.bytes = new byte[length];
    System.arraycopy(content, op.remoteOffset, op.bytes, 0, length);
    op.ownsPieces = true;
    windowWasRead |= window;
    readToForward = length <= windowBytes ? op : readToForward;
    return op;
  }

  private Op atomic() {
    AtomicWord word = peer.words.get(draw.between(0, peer.words.size() - 1));
    WrOpcode suited = word.adding ? WrOpcode.ATOMIC_FETCH_AND_ADD : WrOpcode.ATOMIC_CMP_AND_SWP;
    Op op = new Op(ops.size(), suited, 8, owned(8, 1));
    op.word = word;
    op.remoteArea = Piece.Area.WORDS;
    op.remoteOffset = word.index * 8;
    op.ownsPieces = true;
    op.operand = word.adding ? draw.between(1, 1000) : 0;
    return op;
  }

  private byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    long bits = 0;
    for (int i = 0; i < length; i++) {
      bits = (i & 7) == 0 ? draw.nextLong() : bits >>> 8;
      bytes[i] = (byte) bits;
    }
    return bytes;
  }

  /** Elements of the local area that belong to one request. */
  private List<Piece> owned(int length, int elementsMax) {
    List<Piece> pieces = new ArrayList<>();
    for (int part : parts(length, elementsMax)) {
      pieces.add(new Piece(Piece.Area.LOCAL, own.allocateLocal(part), part));
    }
    return pieces;
  }

  /** Elements anywhere in the source area. */
  private List<Piece> shared(int length) {
    List<Piece> pieces = new ArrayList<>();
    for (int part : parts(length, shape.sgeMax())) {
      pieces.add(new Piece(Piece.Area.SOURCE, draw.between(0, SimNode.SOURCE_BYTES - part), part));
    }
    return pieces;
  }

  /** Cuts a length into at most {@code elementsMax} parts, some of them empty. */
  private List<Integer> parts(int length, int elementsMax) {
    List<Integer> parts = new ArrayList<>();
    int left = length;
    int elements = length == 0 && draw.chance(0.7) ? 0 : draw.between(1, elementsMax);
    for (int i = 0; i < elements; i++) {
      int part = i == elements - 1 ? left : draw.between(0, left);
      parts.add(part);
      left -= part;
    }
    return parts;
  }

  private static byte[] gather(byte[] source, List<Piece> pieces) {
    int length = pieces.stream().mapToInt(Piece::length).sum();
    byte[] bytes = new byte[length];
    int at = 0;
    for (Piece piece : pieces) {
      System.arraycopy(source, piece.offset(), bytes, at, piece.length());
      at += piece.length();
    }
    return bytes;
  }
}

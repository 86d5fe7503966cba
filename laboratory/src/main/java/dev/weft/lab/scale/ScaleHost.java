package dev.weft.lab.scale;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The application of one host of {@link ScaleExperiment}: sends its share of the messages, half over its connections in turn and half
 * as datagrams to all others in turn, and checks what comes in. It runs in ISR context on one completion queue.
 *
 * <p>Bounds: {@link #window} requests outstanding, {@link #SEND_DEPTH} of them on one connection; so a connection needs twice as many
 * receives, for what is on its way and for what is not polled yet.
 */
final class ScaleHost {
  static final int SEND_DEPTH = 2;
  static final int WINDOW_MAX = 16;
  private static final int RECEIVE_DEPTH = 2 * SEND_DEPTH;
  private static final int UD_RECEIVES = 64;
  private static final int UD_HEADER_BYTES = 40;
  private static final int UD_BYTES = 16;
  private static final int RC_BYTES_MIN = 16;
  private static final int RC_BYTES_MAX = 128;
  private static final int QKEY = 0x5ca1e;
  /** Work request numbers of receives: the connection from this bit on, or {@link #UD} in its place; below it the buffer. */
  private static final int CONNECTION_SHIFT = 8;
  private static final int UD = 0xffff;

  final int index;
  private final ScaleExperiment experiment;
  private final Hca hca;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemorySegment memory;
  private final MemoryRegion mr;
  private final QueuePair datagrams;
  private final QueuePair[] connections;
  private final int[] peers;
  private final byte[] outstanding;
  private final int[] sentOver;
  private final int[] receivedOver;
  private final int window;
  private final int[] freeSlots;
  private int freeCount;
  private int connected;
  private int turn;
  private long quota;
  private long posted;
  private long datagramsPosted;

  long rcReceived;
  long udReceived;
  long sendsCompleted;
  /** Sums of a mix of each datagram's number, sent to and received by this host: equal exactly if each came once, but for chance. */
  long udSumExpected;
  long udSumReceived;

  /**
   * @param peerCount connections of this host
   * @param memory {@link #memoryBytes} bytes that this host alone uses
   */
  ScaleHost(ScaleExperiment experiment, int index, Hca hca, int peerCount, MemorySegment memory) {
    this.experiment = experiment;
    this.index = index;
    this.hca = hca;
    this.memory = memory;
    window = Math.min(WINDOW_MAX, SEND_DEPTH * peerCount);
    pd = hca.allocPd();
    cq = hca.createCq(WINDOW_MAX + RECEIVE_DEPTH * peerCount + UD_RECEIVES, ReceiveContext.ISR, this::onCompletions);
    mr = hca.regMr(pd, memory, Access.LOCAL_WRITE);
    datagrams = hca.createQp(pd, new QpInitAttr(cq, cq, WINDOW_MAX, UD_RECEIVES, 1, 1, 0, false).withType(QpType.UD));
    connections = new QueuePair[peerCount];
    peers = new int[peerCount];
    outstanding = new byte[peerCount];
    sentOver = new int[peerCount];
    receivedOver = new int[peerCount];
    freeSlots = new int[window];
    for (freeCount = 0; freeCount < window; freeCount++) {
      freeSlots[freeCount] = freeCount;
    }
  }

  static long memoryBytes(int peerCount) {
    return (long) (WINDOW_MAX + RECEIVE_DEPTH * peerCount) * RC_BYTES_MAX + (long) UD_RECEIVES * (UD_HEADER_BYTES + UD_BYTES);
  }

  /** Creates the queue pair of the next connection, which is to be to {@code peer}; answers its place here. */
  int addConnection(int peer) {
    peers[connected] = peer;
    connections[connected] = hca.createQp(pd, new QpInitAttr(cq, cq, SEND_DEPTH, RECEIVE_DEPTH, 1, 1, 0, false));
    return connected++;
  }

  static void connect(ScaleHost one, int there, ScaleHost other, int here, int mtuBytes) {
    one.modify(there, other, here, mtuBytes);
    other.modify(here, one, there, mtuBytes);
  }

  private void modify(int connection, ScaleHost peer, int there, int mtuBytes) {
    QueuePair qp = connections[connection];
    qp.modify(QpAttr.init(0));
    qp.modify(QpAttr.rtr().destLid(peer.hca.lid()).destQpNum(peer.connections[there].qpNum()).rqPsn(0)
        .pathMtu(mtuBytes).maxDestRdAtomic(0));
    qp.modify(QpAttr.rts(0).maxRdAtomic(0));
    for (int slot = 0; slot < RECEIVE_DEPTH; slot++) {
      postReceive(connection, slot);
    }
  }

  /** Takes the datagram queue pair into service and arms the completion queue. */
  void open() {
    datagrams.modify(QpAttr.initUd(QKEY));
    datagrams.modify(QpAttr.rtrUd());
    datagrams.modify(QpAttr.rtsUnreliable(0));
    for (int slot = 0; slot < UD_RECEIVES; slot++) {
      postDatagramReceive(slot);
    }
    cq.arm(false);
  }

  private long sendOffset(int slot) {
    return (long) slot * RC_BYTES_MAX;
  }

  private long receiveOffset(int connection, int slot) {
    return (long) (WINDOW_MAX + connection * RECEIVE_DEPTH + slot) * RC_BYTES_MAX;
  }

  private long datagramOffset(int slot) {
    return (long) (WINDOW_MAX + connections.length * RECEIVE_DEPTH) * RC_BYTES_MAX + (long) slot * (UD_HEADER_BYTES + UD_BYTES);
  }

  private void postReceive(int connection, int slot) {
    ReceiveRequest request = experiment.receiveRequest;
    connections[connection].postReceive(request.receive((long) connection << CONNECTION_SHIFT | slot)
        .sge(mr, receiveOffset(connection, slot), RC_BYTES_MAX));
  }

  private void postDatagramReceive(int slot) {
    datagrams.postReceive(experiment.receiveRequest.receive((long) UD << CONNECTION_SHIFT | slot)
        .sge(mr, datagramOffset(slot), UD_HEADER_BYTES + UD_BYTES));
  }

  // Sending.

  /** Sends that many messages, as far as the window goes now and the rest as it opens. */
  void start(long messages) {
    quota = messages;
    fillWindow();
  }

  boolean isDone() {
    return sendsCompleted == quota;
  }

  private void fillWindow() {
    while (freeCount > 0 && posted < quota) {
      int slot = freeSlots[--freeCount];
      if ((posted++ & 1) == 0) {
        send(slot);
      } else {
        sendDatagram(slot);
      }
    }
  }

  /** Over the connection whose turn it is, or the next with room; there is one, because the window is no larger than all the rooms. */
  private void send(int slot) {
    while (outstanding[turn] == SEND_DEPTH) {
      turn = turn + 1 == connections.length ? 0 : turn + 1;
    }
    int connection = turn;
    turn = turn + 1 == connections.length ? 0 : turn + 1;
    outstanding[connection]++;
    long header = header(index, peers[connection], sentOver[connection]++);
    int length = lengthOf(header);
    long at = sendOffset(slot);
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, header);
    for (int i = Long.BYTES; i < length; i += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at + i, mix(header + i));
    }
    connections[connection].postSend(experiment.workRequest.send().sge(mr, at, length).wrId(wrId(connection, slot)).signaled());
  }

  private void sendDatagram(int slot) {
    int others = experiment.hostCount() - 1;
    ScaleHost target = experiment.host((index + 1 + (int) (datagramsPosted % others)) % (others + 1));
    long header = header(index, target.index, (int) datagramsPosted++);
    target.udSumExpected += mix(header);
    long at = sendOffset(slot);
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, header);
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at + Long.BYTES, mix(header));
    // A handle for each datagram: handles to all others, kept by everybody, would be the square of the hosts.
    AddressHandle handle = hca.createAh(pd, target.hca.lid(), 0);
    datagrams.postSend(experiment.workRequest.send().sge(mr, at, UD_BYTES).to(handle, target.datagrams.qpNum(), QKEY)
        .wrId(wrId(UD, slot)).signaled());
    hca.destroyAh(handle);
  }

  private static long wrId(int connection, int slot) {
    return (long) connection << CONNECTION_SHIFT | slot;
  }

  // Completions, in ISR context.

  private void onCompletions(CompletionQueue queue) {
    WorkCompletion wc = experiment.completion;
    do {
      while (queue.poll(wc)) {
        onCompletion(wc);
      }
    } while (queue.arm(false) == CompletionQueue.Armed.COMPLETIONS_WAITING);
    fillWindow();
  }

  private void onCompletion(WorkCompletion wc) {
    if (!wc.isSuccess()) {
      throw new IllegalStateException("host " + index + ": " + wc);
    }
    int connection = (int) (wc.wrId() >>> CONNECTION_SHIFT);
    int slot = (int) wc.wrId() & (1 << CONNECTION_SHIFT) - 1;
    if (wc.opcode() == WcOpcode.SEND) {
      freeSlots[freeCount++] = slot;
      sendsCompleted++;
      if (connection != UD) {
        outstanding[connection]--;
      }
      experiment.sendCompleted();
    } else if (connection == UD) {
      onDatagram(wc, slot);
    } else {
      onMessage(wc, connection, slot);
    }
  }

  private void onMessage(WorkCompletion wc, int connection, int slot) {
    long at = receiveOffset(connection, slot);
    long header = header(peers[connection], index, receivedOver[connection]++);
    int length = lengthOf(header);
    boolean right = wc.byteLen() == length && memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at) == header;
    for (int i = Long.BYTES; right && i < length; i += Long.BYTES) {
      right = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at + i) == mix(header + i);
    }
    if (!right) {
      throw new IllegalStateException("host " + index + " expected message " + (receivedOver[connection] - 1) + " of host "
          + peers[connection] + " and got other bytes: " + wc);
    }
    rcReceived++;
    postReceive(connection, slot);
    experiment.received();
  }

  private void onDatagram(WorkCompletion wc, int slot) {
    long at = datagramOffset(slot) + UD_HEADER_BYTES;
    long header = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    if (wc.byteLen() != UD_HEADER_BYTES + UD_BYTES || memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at + Long.BYTES) != mix(header)) {
      throw new IllegalStateException("host " + index + " got a datagram with other bytes than were sent: " + wc);
    }
    udReceived++;
    udSumReceived += mix(header);
    postDatagramReceive(slot);
    experiment.received();
  }

  private static long header(int from, int to, int number) {
    return (long) from << 48 | (long) to << 32 | number & 0xffff_ffffL;
  }

  private static int lengthOf(long header) {
    int words = (RC_BYTES_MAX - RC_BYTES_MIN) / Long.BYTES + 1;
    return RC_BYTES_MIN + Long.BYTES * (int) ((mix(header) >>> 1) % words);
  }

  private static long mix(long value) {
    long z = (value + 0x9e37_79b9_7f4a_7c15L) * 0xbf58_476d_1ce4_e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return z ^ (z >>> 31);
  }
}

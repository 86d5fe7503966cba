package dev.weft.perftest;

import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.dispatch.Poller;
import dev.weft.hca.cm.ConnectionManager;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.ValueLayout;
import java.util.Set;

/**
 * The far side of one connection. Depending on the test, it answers a ping with the received message, takes receives, or just lends its
 * memory. One thread sets it up; then only the hardware thread uses it until it is closed.
 */
final class FarSession implements AutoCloseable {
  private static final int SIGNAL_INTERVAL = 32;
  /** Receives for a service whose sender does not wait until one is posted; the number is that of the perftest package. */
  private static final int UNRELIABLE_RECEIVES = 512;
  private static final int ECHO_DEPTH = 2 * SIGNAL_INTERVAL;

  private final Node node;
  private final HardwareDispatcher dispatcher;
  private final Handshake.Open open;
  private final ProtectionDomain pd;
  private final PerfMemory memory;
  private final CompletionQueue cq;
  private final QueuePair qp;
  private final Poller poller = this::pollMemory;
  private final WorkCompletion wc = new WorkCompletion();
  private final WorkRequest wr = new WorkRequest();
  private final ReceiveRequest rr = new ReceiveRequest();
  private final boolean echoesWrites;
  private final boolean echoes;
  private final boolean unreliable;
  private final int headerBytes;
  private final int receives;
  /** Counts the peer's complete writes in a test where a lost one would not be noticed; null in other tests. */
  private final CompletionCounter writes;
  /** Address for answers to datagrams: the source of the first datagram. */
  private AddressHandle peer;
  private int peerQpNum;
  private long received;
  /** Number of the message that arrived last; greater than {@link #received} if messages were lost. */
  private long number;
  private long wrong;
  private String firstError = "";
  private boolean closed;

  FarSession(Node node, HardwareDispatcher dispatcher, Handshake.Open open) {
    this.node = node;
    this.dispatcher = dispatcher;
    this.open = open;
    PerfOperation operation = open.test().operation();
    echoes = open.test().isPingPong();
    echoesWrites = echoes && operation == PerfOperation.WRITE;
    unreliable = open.type() != QpType.RC;
    headerBytes = PerfParameters.headerBytes(open.type());
    receives = operation.needsReceives() ? receives(open) : 0;
    pd = node.hca().allocPd();
    memory = new PerfMemory(node.hca(), pd, (long) open.strideBytes() * open.slots());
    int cqe = receives + ECHO_DEPTH;
    cq = receives > 0 ? node.hca().createCq(cqe, ReceiveContext.ISR, this::onCompletions)
        : node.hca().createCq(cqe, ReceiveContext.POLLING, null);
    qp = node.hca().createQp(pd, new QpInitAttr(cq, cq, ECHO_DEPTH, receives, 1, 1, open.inlineBytes(), false).withType(open.type()));
    writes = unreliable && operation == PerfOperation.WRITE && !echoes ? node.hca().createCounter() : null;
    if (writes != null) {
      node.hca().attachCounter(qp, writes, Set.of(CompletionCounter.Operation.REMOTE_RDMA_WRITE));
    }
  }

  /**
   * Returns how many receives to post. A verified message needs its own slot until it has been checked. A sender that does not wait leaves no time for
   * that. Over an unreliable service, a sender that waits may also count a message as lost because this side was slow, and send the next one.
   */
  private static int receives(Handshake.Open open) {
    int least = Math.max(open.depth(), 4);
    if (open.type() == QpType.RC) {
      return least;
    }
    if (open.verify()) {
      return open.slots();
    }
    return open.test().isPingPong() ? least : Math.max(least, UNRELIABLE_RECEIVES);
  }

  QueuePair queuePair() {
    return qp;
  }

  byte[] opened(long number) {
    return new Handshake.Opened(number, memory.region.addr(), memory.region.rkey()).encode();
  }

  /** Fills the memory that will be read, posts receives, and starts to poll. */
  void prepare() {
    if (open.test().operation() == PerfOperation.READ) {
      for (int slot = 0; slot < open.slots(); slot++) {
        Pattern.fill(memory.segment, (long) slot * open.strideBytes(), open.sizeBytes(), slot);
      }
    }
    if (receives > 0) {
      qp.modify(open.type() == QpType.UD ? QpAttr.initUd(ConnectionManager.DATAGRAM_QKEY) : QpAttr.init(Access.ALL));
      for (int i = 0; i < receives; i++) {
        postReceive(i % open.slots());
      }
      cq.arm(false);
    }
    if (echoesWrites) {
      dispatcher.addPoller(poller);
    }
  }

  Handshake.Report report(HcaSnapshot.Counters counters, long trunkBytesCopied) {
    return new Handshake.Report(writes == null ? received : writes.count(), wrong,
        counters.bytesCopied() + trunkBytesCopied, counters.packetsRetransmitted(), firstError);
  }

  private void postReceive(int slot) {
    rr.receive(slot);
    if (open.test().operation() == PerfOperation.SEND) {
      rr.sge(memory.region, (long) slot * open.strideBytes(), headerBytes + open.sizeBytes());
    }
    qp.postReceive(rr);
  }

  private void onCompletions(CompletionQueue queue) {
    do {
      while (!closed && cq.poll(wc)) {
        if (!wc.isSuccess()) {
          wrong("completed with " + wc.status());
        } else if (wc.opcode() == WcOpcode.RECV || wc.opcode() == WcOpcode.RECV_RDMA_WITH_IMM) {
          onReceive();
        }
      }
    } while (!closed && cq.arm(false) == CompletionQueue.Armed.COMPLETIONS_WAITING);
  }

  private void onReceive() {
    int slot = (int) wc.wrId();
    received++;
    if (!unreliable) {
      number = received;
    } else if (wc.hasImm()) {
      number += wc.immData() - (int) number & 0xffff_ffffL; // The immediate is the message's number modulo 2 to the power of 32.
    }
    if (open.type() == QpType.UD && echoes && peer == null) {
      peer = node.hca().createAhFromWc(pd, wc);
      peerQpNum = wc.srcQp();
    }
    if (open.verify()) {
      verifyReceived(slot);
    }
    postReceive(slot);
    if (echoes) {
      echo(slot);
    }
  }

  private void verifyReceived(int slot) {
    int length = wc.byteLen() - headerBytes;
    if (length != open.sizeBytes()) {
      wrong("has " + length + " bytes instead of " + open.sizeBytes());
    } else if (wc.hasImm() && wc.immData() != (int) number) {
      wrong("carries immediate " + wc.immData() + " instead of " + (int) number);
    } else if (open.test().operation() == PerfOperation.SEND || echoes) {
      verifyBytes(slot);
    }
  }

  private void verifyBytes(int slot) {
    long offset = (long) slot * open.strideBytes() + headerBytes;
    if (unreliable && open.test().operation() != PerfOperation.WRITE_IMM) {
      number = Pattern.messageAfter(memory.segment, offset, open.sizeBytes(), number);
    }
    int at = Pattern.firstWrong(memory.segment, offset, open.sizeBytes(), number);
    if (at >= 0 && !(unreliable && open.test().operation() == PerfOperation.WRITE_IMM && isOverwritten(offset))) {
      wrong("differs at byte " + at);
    }
  }

  /** Whether the sender considered this message lost, because this side was slow, and has written the next one to the same place. */
  private boolean isOverwritten(long offset) {
    return Pattern.firstWrong(memory.segment, offset, open.sizeBytes(), Pattern.messageAfter(memory.segment, offset, open.sizeBytes(), number)) < 0;
  }

  private void wrong(String what) {
    if (wrong++ == 0) {
      firstError = "message " + number + " " + what;
    }
  }

  /** Polls the memory for the last byte of the next message. */
  private int pollMemory() {
    byte last = memory.segment.get(ValueLayout.JAVA_BYTE, open.sizeBytes() - 1);
    if (last == (byte) number) {
      return 0;
    }
    received++;
    if (!unreliable || !open.verify()) {
      number = Pattern.numberAfter(number, last);
    }
    if (open.verify()) {
      verifyBytes(0);
    }
    echo(0);
    while (cq.poll(wc)) {
      if (!wc.isSuccess()) {
        wrong("could not be answered: " + wc.status());
      }
    }
    return 1;
  }

  private void echo(int slot) {
    switch (open.test().operation()) {
      case SEND -> wr.send();
      case WRITE -> wr.write(open.addr(), open.rkey());
      case WRITE_IMM -> wr.writeWithImm(open.addr(), open.rkey(), (int) number);
      case READ, CAS, FADD -> throw new IllegalStateException(open.test() + " has no echo");
    }
    long offset = (long) slot * open.strideBytes() + headerBytes;
    if (open.sizeBytes() <= open.inlineBytes()) {
      wr.inline(memory.segment.asSlice(offset, open.sizeBytes()));
    } else {
      wr.sge(memory.region, offset, open.sizeBytes());
    }
    if (received % SIGNAL_INTERVAL == 0) {
      wr.signaled();
    }
    if (peer != null) {
      wr.to(peer, peerQpNum, ConnectionManager.DATAGRAM_QKEY);
    }
    qp.postSend(wr);
  }

  /** Frees all resources; the connection must be down. Not on the hardware thread. */
  @Override
  public void close() {
    closed = true;
    if (echoesWrites) {
      dispatcher.removePoller(poller);
    }
    if (peer != null) {
      node.hca().destroyAh(peer);
    }
    node.hca().destroyQp(qp);
    if (writes != null) {
      node.hca().destroyCounter(writes);
    }
    node.hca().destroyCq(cq);
    memory.close();
    node.hca().deallocPd(pd);
  }
}

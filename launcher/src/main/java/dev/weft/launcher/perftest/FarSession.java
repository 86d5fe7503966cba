package dev.weft.launcher.perftest;

import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.dispatch.Poller;
import dev.weft.hca.CompletionQueue;
import dev.weft.hca.HcaSnapshot;
import dev.weft.hca.ProtectionDomain;
import dev.weft.hca.QpInitAttr;
import dev.weft.hca.QueuePair;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.ReceiveRequest;
import dev.weft.hca.WcOpcode;
import dev.weft.hca.WorkCompletion;
import dev.weft.hca.WorkRequest;
import dev.weft.hca.node.Node;
import java.lang.foreign.ValueLayout;

/**
 * One connection's far side. It answers pings by what it received, takes receives, or just lends its memory. Set up on one thread,
 * then confined to the hardware thread until closed.
 */
final class FarSession implements AutoCloseable {
  private static final int SIGNAL_INTERVAL = 32;
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
  private final int receives;
  private long received;
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
    receives = operation.needsReceives() ? Math.max(open.depth(), 4) : 0;
    pd = node.hca().allocPd();
    memory = new PerfMemory(node.hca(), pd, (long) open.strideBytes() * open.slots());
    int cqe = receives + ECHO_DEPTH;
    cq = receives > 0 ? node.hca().createCq(cqe, ReceiveContext.ISR, this::onCompletions)
        : node.hca().createCq(cqe, ReceiveContext.POLLING, null);
    qp = node.hca().createQp(pd, new QpInitAttr(cq, cq, ECHO_DEPTH, receives, 1, 1, open.inlineBytes(), false));
  }

  QueuePair queuePair() {
    return qp;
  }

  byte[] opened(long number) {
    return new Handshake.Opened(number, memory.region.addr(), memory.region.rkey()).encode();
  }

  /** Fills what will be read, posts receives, starts to listen. */
  void prepare() {
    if (open.test().operation() == PerfOperation.READ) {
      for (int slot = 0; slot < open.slots(); slot++) {
        Pattern.fill(memory.segment, (long) slot * open.strideBytes(), open.sizeBytes(), slot);
      }
    }
    if (receives > 0) {
      qp.modify(dev.weft.hca.QpAttr.init(dev.weft.hca.Access.ALL));
      for (int i = 0; i < receives; i++) {
        postReceive(i % open.slots());
      }
      cq.arm(false);
    }
    if (echoesWrites) {
      dispatcher.addPoller(poller);
    }
  }

  Handshake.Report report(HcaSnapshot.Counters counters) {
    return new Handshake.Report(received, wrong, counters.bytesPlaced(), counters.packetsRetransmitted(), firstError);
  }

  private void postReceive(int slot) {
    rr.receive(slot);
    if (open.test().operation() == PerfOperation.SEND) {
      rr.sge(memory.region, (long) slot * open.strideBytes(), open.sizeBytes());
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
    if (open.verify()) {
      verifyReceived(slot);
    }
    postReceive(slot);
    if (echoes) {
      echo(slot);
    }
  }

  private void verifyReceived(int slot) {
    if (wc.byteLen() != open.sizeBytes()) {
      wrong("has " + wc.byteLen() + " bytes instead of " + open.sizeBytes());
    } else if (wc.hasImm() && wc.immData() != (int) received) {
      wrong("carries immediate " + wc.immData() + " instead of " + (int) received);
    } else if (open.test().operation() == PerfOperation.SEND || echoes) {
      verifyBytes(slot);
    }
  }

  private void verifyBytes(int slot) {
    int at = Pattern.firstWrong(memory.segment, (long) slot * open.strideBytes(), open.sizeBytes(), received);
    if (at >= 0) {
      wrong("differs at byte " + at);
    }
  }

  private void wrong(String what) {
    if (wrong++ == 0) {
      firstError = "message " + received + " " + what;
    }
  }

  /** Looks for the last byte of the next message. */
  private int pollMemory() {
    byte last = memory.segment.get(ValueLayout.JAVA_BYTE, open.sizeBytes() - 1);
    if (last != (byte) (received + 1)) {
      return 0;
    }
    received++;
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
      case WRITE_IMM -> wr.writeWithImm(open.addr(), open.rkey(), (int) received);
      case READ, CAS, FADD -> throw new IllegalStateException(open.test() + " has no echo");
    }
    long offset = (long) slot * open.strideBytes();
    if (open.sizeBytes() <= open.inlineBytes()) {
      wr.inline(memory.segment.asSlice(offset, open.sizeBytes()));
    } else {
      wr.sge(memory.region, offset, open.sizeBytes());
    }
    if (received % SIGNAL_INTERVAL == 0) {
      wr.signaled();
    }
    qp.postSend(wr);
  }

  /** Gives everything back; the connection is down already. Not on the hardware thread. */
  @Override
  public void close() {
    closed = true;
    if (echoesWrites) {
      dispatcher.removePoller(poller);
    }
    node.hca().destroyQp(qp);
    node.hca().destroyCq(cq);
    memory.close();
    node.hca().deallocPd(pd);
  }
}

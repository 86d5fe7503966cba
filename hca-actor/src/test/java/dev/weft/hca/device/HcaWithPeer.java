package dev.weft.hca.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.testkit.typed.javadsl.BehaviorTestKit;
import akka.actor.typed.DispatcherSelector;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.time.ManualTime;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * An HCA with one reliable connection whose peer the test plays: what it hears, what it is asked by its consumer, and what it says. Packets
 * carry 256 bytes, the HCA has eight buffers for each of two lanes. A transmitted packet reads as its opcode, PSN and what else it says; of
 * bytes, how many and which.
 */
abstract class HcaWithPeer {
  static final int HERE = 11;
  static final int THERE = 22;
  static final int PEER_QP = 0x99;
  static final int MTU = 256;
  static final int BUFFERS = 8;
  static final int SQ_PSN = 100;
  static final int RQ_PSN = 500;
  static final long REMOTE = 0x5000;
  static final int REMOTE_KEY = 0x77;
  static final int TIMEOUT = 14;
  static final long TIMEOUT_NS = 4096L << TIMEOUT;
  static final int RNR_CODE = 10;
  static final long RNR_NS = 320_000;
  static final int ACK = Aeth.ACK | Aeth.CREDIT_INVALID;

  /** What the test gets to know, in its order. */
  final List<String> said = new ArrayList<>();
  final ManualTime time = new ManualTime();
  final ControlVerbs hca = new ControlVerbs("here", HcaSettings.from(ConfigFactory.parseString(
      "weft.hca { receive-buffer-packets = " + BUFFERS + ", pin-memory = false }").withFallback(ConfigFactory.load())), time.context(1), 2,
      () -> true);
  final BehaviorTestKit<HardwareMessage> actor =
      BehaviorTestKit.create(HcaActor.create(hca, DispatcherSelector.sameAsParent(), null));
  final MemorySegment memory = Arena.ofAuto().allocate(16 * MTU, 8);
  final WorkRequest wr = new WorkRequest();
  private CompletionQueue sendCq;
  private CompletionQueue receiveCq;
  QueuePair qp;
  MemoryRegion mr;
  private int handed;
  private int released;

  @BeforeEach
  void connect() {
    hca.started(actor.getRef());
    hears(new HcaActor.CableAttached(message -> said.add(line(message))));
    hears(new LinkState(true, HERE));
    said("Credits 0 8", "Credits 1 8");
    ProtectionDomain pd = hca.allocPd();
    sendCq = hca.createCq(64, ReceiveContext.POLLING, null);
    receiveCq = hca.createCq(64, ReceiveContext.POLLING, null);
    mr = hca.regMr(pd, memory, 0, Access.ALL);
    for (int i = 0; i < memory.byteSize(); i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i / MTU + 1));
    }
    qp = hca.createQp(pd, new QpInitAttr(sendCq, receiveCq, 16, 16, 1, 1, 0, true));
    qp.modify(QpAttr.init(Access.ALL));
    qp.modify(QpAttr.rtr().destLid(THERE).destQpNum(PEER_QP).rqPsn(RQ_PSN).pathMtu(MTU).minRnrTimer(RNR_CODE));
    qp.modify(QpAttr.rts(SQ_PSN).timeout(TIMEOUT).retryCnt(2).rnrRetry(2));
    said();
  }

  @AfterEach
  void allIsSaidAndGivenBack() {
    said();
    sent();
    received();
    assertEquals(handed, released, "each packet is released once");
  }

  // ---- what the HCA hears

  void work() {
    while (actor.selfInbox().hasMessages()) {
      actor.runOne();
    }
  }

  void hears(HardwareMessage message) {
    actor.run(message);
    work();
  }

  void pass(long ns) {
    time.pass(ns);
    work();
  }

  void credits(int count) {
    hears(new Credits(0, count));
  }

  Payload bytes(int length, int value) {
    MemorySegment segment = Arena.ofAuto().allocate(length).fill((byte) value);
    handed++;
    return Payload.of(segment, 0, length, () -> released++);
  }

  Packet packet(int opcode, int psn, boolean ackReq, long va, int key, int length, int syndrome, long operand, Payload payload) {
    return new Packet(opcode, THERE, HERE, 0, false, ackReq, Packet.DEFAULT_PKEY, qp.qpNum(), psn, va, key, length, syndrome, 0, 0, operand,
        0, payload);
  }

  void answered(int psn, int syndrome) {
    hears(packet(Opcode.RC_ACKNOWLEDGE, psn, false, 0, 0, 0, syndrome, 0, Payload.EMPTY));
  }

  void response(int opcode, int psn, int length, int value) {
    hears(packet(opcode, psn, false, 0, 0, 0, Opcode.hasAeth(opcode) ? ACK : 0, 0, bytes(length, value)));
  }

  Packet message(int opcode, int psn, boolean ackReq, int length, int value) {
    return packet(opcode, psn, ackReq, 0, 0, 0, 0, 0, bytes(length, value));
  }

  void asked(int opcode, int psn, int at, int length) {
    hears(packet(opcode, psn, false, at, mr.rkey(), length, 0, opcode == Opcode.RC_FETCH_ADD ? length : 0, Payload.EMPTY));
  }

  // ---- what it is asked by its consumer

  void send(int wrId, int at, int length) {
    qp.postSend(wr.send().sge(mr, at, length).wrId(wrId));
    work();
  }

  void read(int wrId, int at, int length) {
    qp.postSend(wr.read(REMOTE, REMOTE_KEY).sge(mr, at, length).wrId(wrId));
    work();
  }

  void post(int wrId, int at, int length) {
    qp.postReceive(new ReceiveRequest().receive(wrId).sge(mr, at, length));
    work();
  }

  // ---- what it says

  private static String line(CableMessage message) {
    return switch (message) {
      case Credits credits -> "Credits " + credits.virtualLane() + " " + credits.count();
      case Packet packet -> line(packet);
      default -> message.toString();
    };
  }

  private static String line(Packet packet) {
    int opcode = packet.opcode();
    assertEquals(List.of(HERE, THERE, PEER_QP), List.of(packet.srcLid(), packet.dstLid(), packet.destQp()));
    StringBuilder line = new StringBuilder(Opcode.name(opcode).replace("RC_", "")).append(' ').append(packet.psn());
    if (Opcode.hasReth(opcode)) {
      assertEquals(REMOTE_KEY, packet.rkey());
      line.append(" of ").append(packet.dmaLength()).append(" at +").append(packet.va() - REMOTE);
    }
    if (Opcode.hasAeth(opcode)) {
      int value = Aeth.value(packet.syndrome());
      line.append(switch (Aeth.kind(packet.syndrome())) {
        case Aeth.ACK -> value == Aeth.CREDIT_INVALID ? " ok" : " credit " + value;
        case Aeth.RNR_NAK -> " not ready " + value;
        default -> " refused " + value;
      }).append(" msn ").append(packet.msn());
    }
    if (Opcode.hasAtomicAckEth(opcode)) {
      line.append(" was ").append(packet.swapAdd());
    }
    return line.append(packet.ackReq() ? " ask" : "").append(data(packet.payload())).toString();
  }

  private static String data(Payload payload) {
    if (payload.length() == 0) {
      return "";
    }
    MemorySegment copy = MemorySegment.ofArray(new byte[payload.length()]);
    payload.copyTo(copy, 0, new CopyCounter());
    return " " + payload.length() + " of " + all(copy);
  }

  /** The value that all bytes have. */
  private static String all(MemorySegment bytes) {
    byte value = bytes.get(ValueLayout.JAVA_BYTE, 0);
    for (long i = 0; i < bytes.byteSize(); i++) {
      if (bytes.get(ValueLayout.JAVA_BYTE, i) != value) {
        return "several, " + value + " at first";
      }
    }
    return Byte.toString(value);
  }

  /** All that was transmitted since this was asked last. */
  void said(String... expected) {
    List<String> all = List.copyOf(said);
    said.clear();
    assertEquals(List.of(expected), all);
  }

  private static List<String> completions(CompletionQueue cq) {
    List<String> all = new ArrayList<>();
    WorkCompletion wc = new WorkCompletion();
    while (cq.poll(wc)) {
      all.add(wc.wrId() + " " + wc.status().toString().toLowerCase(Locale.ROOT));
    }
    return all;
  }

  void sent(String... expected) {
    assertEquals(List.of(expected), completions(sendCq));
  }

  void received(String... expected) {
    assertEquals(List.of(expected), completions(receiveCq));
  }

  void holds(int at, int length, int value) {
    assertEquals(Integer.toString(value), all(memory.asSlice(at, length)));
  }
}

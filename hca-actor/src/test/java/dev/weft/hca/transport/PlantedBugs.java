package dev.weft.hca.transport;

import dev.weft.fabric.memory.SharedLease;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.completion.QueueCounters;
import dev.weft.hca.memory.MemoryAccess;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.SgList;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WrOpcode;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * Bugs to be planted in place of a call of the transport; each method has the parameters of the call that it replaces, with the
 * receiver first. Loaded together with the transport by a class loader of its own, so that nothing of this is in the main tree.
 */
public final class PlantedBugs {
  private static int count;

  private PlantedBugs() {}

  /** Instead of {@code Psn.diff}: no bug. */
  public static int keepDiff(int a, int b) {
    return Psn.diff(a, b);
  }

  /** Instead of {@code Psn.diff} in {@code RcResponder.onRequest}: the packet after a lost one is taken for the lost one. */
  public static int acceptGap(int a, int b) {
    int distance = Psn.diff(a, b);
    return distance == 1 ? 0 : distance;
  }

  /** Instead of {@code Psn.diff} in {@code RcResponder.onRequest}: the last packet is accepted a second time. */
  public static int acceptTwice(int a, int b) {
    int distance = Psn.diff(a, b);
    return distance == -1 ? 0 : distance;
  }

  /** Instead of {@code repeatAtomic}: the atomic is executed again, though answered from the saved result. */
  static void executeAtomicAgain(RcOperations operations, Packet packet) {
    TransportDevice view = (TransportDevice) get(operations, "hca");
    Qp qp = (Qp) get(operations, "qp");
    Mr mr = view.memory.find(packet.rkey(), qp.pd());
    if (packet.opcode() == Opcode.RC_FETCH_ADD) {
      view.access.fetchAndAdd(mr, packet.va(), packet.swapAdd());
    } else {
      view.access.compareAndSwap(mr, packet.va(), packet.compare(), packet.swapAdd());
    }
    call(operations, "repeatAtomic", packet);
  }

  /** Instead of {@code onDuplicate}: sends and writes that come again are not acknowledged again. */
  static void dropAckOfDuplicate(RcResponder responder, Packet packet) {
    if (packet.opcode() > Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM) {
      call(responder, "onDuplicate", packet);
    }
  }

  /** Instead of {@code onDuplicate}: a write that comes again is placed again, over what was written since. */
  static void placeDuplicate(RcResponder responder, Packet packet) {
    if (packet.opcode() == Opcode.RC_RDMA_WRITE_ONLY && packet.payload().length() > 0) {
      TransportDevice view = (TransportDevice) get(responder, "hca");
      Qp qp = (Qp) get(responder, "qp");
      view.access.place(packet.payload(), view.memory.find(packet.rkey(), qp.pd()), packet.va(), false);
    }
    call(responder, "onDuplicate", packet);
  }

  /** Instead of {@code MemoryAccess.place} in {@code RcMessages.onSend}: packets behind the first land one byte early. */
  static boolean placeOneByteEarly(MemoryAccess access, Payload payload, SgList list, Mr[] regions, long offset) {
    return access.place(payload, list, regions, Math.max(0, offset - 1));
  }

  /** Instead of {@code SendWqe.has} in {@code RcTransmission.mayStart}: no fence is seen. */
  static boolean ignoreFence(SendWqe wqe, int flag) {
    return flag != SendFlags.FENCE && wqe.has(flag);
  }

  /** Instead of {@code SendQueue.complete} in {@code RcRequester.release}: slots come back when acknowledged, polled or not. */
  static void freeWhenAcknowledged(SendQueue sq, long counter) {
    sq.complete(counter);
    sq.room.polled(counter);
  }

  /** Instead of {@code Cq.push} in {@code QueueCompletions.completeSend}: now and then a completion is lost. */
  static void loseCompletion(Cq cq, boolean solicitedOrError) {
    if (++count % 50 != 0) {
      cq.push(solicitedOrError);
    }
  }

  /** Instead of {@code Cq.push} in {@code QueueCompletions.completeReceive}: now and then a completion comes twice. */
  static void completeTwice(Cq cq, boolean solicitedOrError) {
    WorkCompletion wc = cq.claim();
    cq.push(solicitedOrError);
    WorkCompletion next = cq.claim();
    if (++count % 50 == 0 && next != null) {
      next.copyFrom(wc);
      cq.push(solicitedOrError);
    }
  }

  /** Instead of {@code resumeAfterRnr} in {@code RcRequester.onDeadline}: only the peer can end the wait. */
  static void forgetToResume(RcRequester requester, long nowNs) {}

  /** Instead of {@code goBack} in {@code RcRequester.retry}: the first lost packet is not sent again. */
  static void goBackTooLittle(RcRequester requester, int psn) {
    call(requester, "goBack", Psn.add(psn, 1));
  }

  /** Instead of {@code WrOpcode.hasResponse} in {@code RcRequester.acknowledge}: an ACK completes a read without its bytes. */
  static boolean takeAckForAnswer(WrOpcode opcode) {
    return false;
  }

  /** Instead of {@code WorkCompletion}'s immediate in {@code RcMessages.completeReceive}: the sign bit is lost. */
  static int cutImmediate(Packet packet) {
    return packet.immediate() & 0x7fffffff;
  }

  /** Instead of {@code dropMessage} in {@code UcResponder.onRequest}: a message goes on behind a gap. */
  static void keepBrokenMessage(UcResponder responder, Packet packet) {}

  /** Instead of {@code ReceiveSource.done} in {@code UdResponder.onRequest}: now and then a receive is consumed again. */
  static void keepReceive(ReceiveSource receives) {
    if (++count % 10 != 0) {
      receives.done();
    }
  }

  /** Instead of {@code ReceiveQueue.exchange} in {@code Srq.Tap.take}: now and then a receive is lost. */
  static ReceiveQueue.Wqe loseReceive(ReceiveQueue ring, ReceiveQueue.Wqe spare) {
    if (++count % 20 == 0) {
      ring.exchange(new ReceiveQueue.Wqe());
    }
    return ring.exchange(spare);
  }

  /** Instead of {@code fireLimit} in {@code Srq.Tap.take}: the limit event comes only when it is armed too late. */
  static void forgetLimit(Srq srq) {}

  /** Instead of {@code placeWord} in {@code RcPlacement.atomicWrite}: a word is written in two halves, and the second is lost. */
  static boolean tearWord(MemoryAccess access, Payload payload, Mr mr, long address) {
    return access.place(payload.slice(0, 4), mr, address, false);
  }

  /** Instead of {@code onDuplicate}: an atomic write that comes again is executed again, over what was written since. */
  static void writeWordAgain(RcResponder responder, Packet packet) {
    if (packet.opcode() == Opcode.RC_ATOMIC_WRITE) {
      ((RcPlacement) get(get(responder, "operations"), "placement")).execute(packet);
    }
    call(responder, "onDuplicate", packet);
  }

  /** Instead of {@code RcPlacement.execute} in {@code RcOperations.onPlacement}: a FLUSH is answered, and nothing is looked at. */
  static int answerFlush(RcPlacement placement, Packet packet) {
    return packet.opcode() == Opcode.RC_FLUSH ? RcPlacement.DONE : placement.execute(packet);
  }

  /** Instead of {@code onDuplicate}: a FLUSH that comes again is forgotten, so that who lost its answer never gets one. */
  static void forgetFlush(RcResponder responder, Packet packet) {
    if (packet.opcode() != Opcode.RC_FLUSH) {
      call(responder, "onDuplicate", packet);
    }
  }

  /** Instead of {@code sendCompleted} in {@code RcRequester.release}: now and then a completion is not counted. */
  static void forgetToCount(QueueCounters counters, WrOpcode opcode, boolean success) {
    if (++count % 10 != 0) {
      counters.sendCompleted(opcode, success);
    }
  }

  /** Instead of {@code completed} in {@code RcMessages} and {@code RcOperations}: now and then a peer's operation is counted twice. */
  static void countTwice(QueueCounters counters, CompletionCounter.Operation operation, boolean success) {
    counters.completed(operation, success);
    if (++count % 10 == 0) {
      counters.completed(operation, success);
    }
  }

  /** Instead of {@code takeAnswersBack}: answers on their way go on referring to memory that is something else now. */
  static void keepAnswersLent(Qp qp) {}

  /** Instead of {@code revoke} of a queue pair's lease: so do its requests. */
  static void keepRequestsLent(SharedLease lease) {}

  private static Object get(Object owner, String field) {
    try {
      Field found = owner.getClass().getDeclaredField(field);
      found.setAccessible(true);
      return found.get(owner);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void call(Object owner, String name, Object argument) {
    try {
      for (Method method : owner.getClass().getDeclaredMethods()) {
        if (method.getName().equals(name) && method.getParameterCount() == 1) {
          method.setAccessible(true);
          method.invoke(owner, argument);
          return;
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalStateException("no method " + name);
  }
}

package dev.weft.hca.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.verbs.QpState;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The protocol of an HCA with one reliable connection, message by message: requests and answers of a peer that the test plays go in, what
 * the HCA transmits is a list, and time passes when the test says so.
 */
@Tag("actor")
class HcaProtocolTest extends HcaWithPeer {
  // ---- the link

  @Test
  void shouldSendWhatItHasCreditsForAndKeepTheRestInOrder() {
    send(1, 0, 3 * MTU);
    send(2, 3 * MTU, 10);
    said();
    hears(new Credits(1, 9)); // Of another lane.
    said();
    credits(2);
    said("SEND_FIRST 100 256 of 1", "SEND_MIDDLE 101 256 of 2");
    credits(1);
    said("SEND_LAST 102 ask 256 of 3");
    credits(5);
    said("SEND_ONLY 103 ask 10 of 4");
    answered(103, ACK);
    sent("1 success", "2 success");
  }

  @Test
  void shouldReturnTheCreditsOfWhatCameInInBatchesOfHalfItsBuffers() {
    credits(1);
    for (int i = 0; i < 3; i++) {
      answered(99, ACK);
    }
    said();
    answered(99, ACK);
    said("Credits 0 4");
    answered(99, ACK);
  }

  /** There is always an answer that is not sent yet. */
  @Test
  void shouldSendItsOwnRequestsAlsoWhereThePeerAsksWithoutEnd() {
    send(1, 0, 10);
    asked(Opcode.RC_RDMA_READ_REQUEST, 500, 0, 7);
    boolean isSent = false;
    for (int i = 1; i < 40; i++) {
      asked(Opcode.RC_RDMA_READ_REQUEST, 500 + i, 0, 7);
      credits(1);
      isSent |= said.stream().anyMatch(packet -> packet.startsWith("SEND_ONLY 100"));
      said.clear();
    }
    assertTrue(isSent);
  }

  @Test
  void shouldNeitherSendNorUseFormerCreditsWhenTheLinkWasDown() {
    credits(8);
    send(1, 0, MTU);
    said("SEND_ONLY 100 ask 256 of 1");
    hears(new LinkState(false, HERE));
    send(2, MTU, MTU);
    said();
    hears(new LinkState(true, HERE));
    said("Credits 0 8", "Credits 1 8");
    answered(100, ACK);
    sent("1 success");
    said();
    credits(1);
    said("SEND_ONLY 101 ask 256 of 2");
    answered(101, ACK);
    sent("2 success");
  }

  @Test
  void shouldGiveUpWhenTheLinkStaysDown() {
    hears(new LinkState(false, HERE));
    send(1, 0, MTU);
    send(2, 0, MTU);
    for (int i = 0; i < 3; i++) {
      sent();
      pass(TIMEOUT_NS);
    }
    sent("1 retry_exc_err", "2 wr_flush_err");
    assertEquals(QpState.ERR, qp.state());
  }

  // ---- requests and their acknowledgements

  @Test
  void shouldCompleteInOrderWhatOneAcknowledgementCovers() {
    credits(8);
    send(1, 0, MTU + 1);
    send(2, 0, 4);
    qp.postSend(wr.write(REMOTE + 8, REMOTE_KEY).sge(mr, MTU, 5).wrId(3));
    work();
    said("SEND_FIRST 100 256 of 1", "SEND_LAST 101 ask 1 of 2", "SEND_ONLY 102 ask 4 of 1", "RDMA_WRITE_ONLY 103 of 5 at +8 ask 5 of 2");
    answered(100, ACK); // A part of the first.
    sent();
    answered(102, ACK);
    sent("1 success", "2 success");
    answered(102, ACK); // Repeated.
    sent();
    answered(103, ACK);
    said("Credits 0 4");
    sent("3 success");
    pass(10 * TIMEOUT_NS);
  }

  @Test
  void shouldNotTakeAnAnswerToWhatItHasNotSentOrFromSomebodyElse() {
    credits(8);
    send(1, 0, 4);
    said("SEND_ONLY 100 ask 4 of 1");
    answered(101, ACK);
    hears(new Packet(Opcode.RC_ACKNOWLEDGE, THERE + 1, HERE, 0, false, false, Packet.DEFAULT_PKEY, qp.qpNum(), 100, 0, 0, 0, ACK, 0, 0,
        0, 0, Payload.EMPTY));
    sent();
    assertEquals(2, hca.inspect().counters().packetsDropped());
    answered(100, ACK);
    sent("1 success");
  }

  @Test
  void shouldSendAgainFromWhereASequenceErrorSays() {
    credits(20);
    send(1, 0, MTU);
    send(2, MTU, 2 * MTU);
    send(3, 3 * MTU, MTU);
    said("SEND_ONLY 100 ask 256 of 1", "SEND_FIRST 101 256 of 2", "SEND_LAST 102 ask 256 of 3", "SEND_ONLY 103 ask 256 of 4");
    answered(102, Aeth.NAK_PSN_SEQUENCE_ERROR);
    sent("1 success");
    said("SEND_LAST 102 ask 256 of 3", "SEND_ONLY 103 ask 256 of 4");
    answered(103, ACK);
    sent("2 success", "3 success");
  }

  @Test
  void shouldFailTheRequestThatIsRefusedAndFlushTheOthers() {
    credits(8);
    send(1, 0, 4);
    send(2, 0, 4);
    send(3, 0, 4);
    post(9, 0, 4);
    said("SEND_ONLY 100 ask 4 of 1", "SEND_ONLY 101 ask 4 of 1", "SEND_ONLY 102 ask 4 of 1");
    answered(101, Aeth.NAK_REMOTE_ACCESS_ERROR);
    sent("1 success", "2 rem_access_err", "3 wr_flush_err");
    received("9 wr_flush_err");
    answered(102, ACK);
    pass(10 * TIMEOUT_NS);
    send(4, 0, 4);
    sent("4 wr_flush_err");
  }

  @Test
  void shouldWaitAsLongAsAReceiverThatIsNotReadyAsksAndThenSendAgain() {
    credits(20);
    send(1, 0, MTU);
    send(2, MTU, 4);
    said("SEND_ONLY 100 ask 256 of 1", "SEND_ONLY 101 ask 4 of 2");
    answered(100, Aeth.RNR_NAK | RNR_CODE);
    pass(RNR_NS / 2);
    answered(100, Aeth.RNR_NAK | RNR_CODE); // Repeated.
    send(3, 0, 4);
    pass(RNR_NS / 2 - 1);
    said();
    pass(1);
    said("SEND_ONLY 100 ask 256 of 1", "SEND_ONLY 101 ask 4 of 2", "SEND_ONLY 102 ask 4 of 1");
    answered(99, ACK); // It has receives now, which nobody waits for any more.
    said();
    answered(102, ACK);
    said("Credits 0 4");
    sent("1 success", "2 success", "3 success");
  }

  @Test
  void shouldWaitNoLongerWhenTheReceiverSaysThatItIsReady() {
    credits(20);
    send(1, 0, 4);
    said("SEND_ONLY 100 ask 4 of 1");
    answered(100, Aeth.RNR_NAK | RNR_CODE);
    said();
    answered(99, ACK);
    said("SEND_ONLY 100 ask 4 of 1");
    pass(RNR_NS);
    said();
    answered(100, ACK);
    sent("1 success");
  }

  @Test
  void shouldGiveUpAReceiverThatIsNeverReady() {
    credits(20);
    send(1, 0, 4);
    for (int i = 0; i < 2; i++) {
      said("SEND_ONLY 100 ask 4 of 1");
      answered(100, Aeth.RNR_NAK | RNR_CODE);
      pass(RNR_NS);
    }
    said("SEND_ONLY 100 ask 4 of 1");
    sent();
    answered(100, Aeth.RNR_NAK | RNR_CODE);
    sent("1 rnr_retry_exc_err");
    pass(RNR_NS);
  }

  @Test
  void shouldSendAgainAfterItsTimeOutFromTheFirstThatIsNotAcknowledged() {
    credits(20);
    send(1, 0, 2 * MTU);
    send(2, 2 * MTU, 4);
    said("SEND_FIRST 100 256 of 1", "SEND_LAST 101 ask 256 of 2", "SEND_ONLY 102 ask 4 of 3");
    pass(TIMEOUT_NS / 2);
    answered(100, ACK); // The time starts anew.
    pass(TIMEOUT_NS - 1);
    said();
    pass(1);
    said("SEND_LAST 101 ask 256 of 2", "SEND_ONLY 102 ask 4 of 3");
    answered(101, ACK);
    sent("1 success");
    answered(102, ACK);
    sent("2 success");
    pass(10 * TIMEOUT_NS);
  }

  @Test
  void shouldGiveUpAPeerThatDoesNotAnswerAfterItsRetries() {
    credits(20);
    send(1, 0, 4);
    send(2, 0, 4);
    for (int i = 0; i < 3; i++) {
      said("SEND_ONLY 100 ask 4 of 1", "SEND_ONLY 101 ask 4 of 1");
      sent();
      pass(TIMEOUT_NS);
    }
    sent("1 retry_exc_err", "2 wr_flush_err");
    answered(101, ACK); // Too late.
    pass(TIMEOUT_NS);
  }

  // ---- reads and atomics of others' memory

  @Test
  void shouldPlaceTheResponsesToAReadWhereTheyBelong() {
    credits(8);
    read(1, 0, 2 * MTU + 10);
    said("RDMA_READ_REQUEST 100 of 522 at +0 ask");
    response(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 100, MTU, 91);
    response(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 101, MTU, 92);
    sent();
    response(Opcode.RC_RDMA_READ_RESPONSE_LAST, 102, 10, 93);
    sent("1 success");
    holds(0, MTU, 91);
    holds(MTU, MTU, 92);
    holds(2 * MTU, 10, 93);
    response(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 101, MTU, 94); // Late.
    said("Credits 0 4");
    holds(MTU, MTU, 92);
  }

  @Test
  void shouldAskOnceForTheRestOfAReadWhenAResponseIsMissing() {
    credits(8);
    read(1, 0, 3 * MTU);
    send(2, 3 * MTU, 4);
    said("RDMA_READ_REQUEST 100 of 768 at +0 ask", "SEND_ONLY 103 ask 4 of 4");
    response(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 100, MTU, 91);
    response(Opcode.RC_RDMA_READ_RESPONSE_LAST, 102, MTU, 93);
    said("RDMA_READ_REQUEST 101 of 512 at +256 ask", "SEND_ONLY 103 ask 4 of 4");
    answered(103, ACK); // Of the first time: the read before it is not done.
    said();
    sent();
    response(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 101, MTU, 92);
    said("Credits 0 4");
    response(Opcode.RC_RDMA_READ_RESPONSE_LAST, 102, MTU, 93);
    sent("1 success");
    answered(103, ACK);
    sent("2 success");
    holds(0, MTU, 91);
    holds(MTU, MTU, 92);
    holds(2 * MTU, MTU, 93);
  }

  @Test
  void shouldGiveTheOldValueOfAnAtomicToWhoAskedForIt() {
    credits(8);
    qp.postSend(wr.fetchAndAdd(REMOTE, REMOTE_KEY, 5).sge(mr, 0, 8).wrId(1));
    work();
    said("FETCH_ADD 100 ask");
    hears(packet(Opcode.RC_ATOMIC_ACKNOWLEDGE, 100, false, 0, 0, 0, ACK, 41, Payload.EMPTY));
    sent("1 success");
    assertEquals(41, memory.get(ValueLayout.JAVA_LONG, 0));
  }

  // ---- what others send here

  @Test
  void shouldPlaceMessagesInTheReceivesInOrderAndAcknowledgeOnceWhatCameTogether() {
    credits(8);
    post(1, 0, 2 * MTU);
    post(2, 2 * MTU, MTU);
    actor.run(message(Opcode.RC_SEND_FIRST, 500, false, MTU, 91));
    actor.run(message(Opcode.RC_SEND_LAST, 501, true, 10, 92));
    actor.run(message(Opcode.RC_SEND_ONLY, 502, true, 20, 93));
    said();
    work();
    said("ACKNOWLEDGE 502 ok msn 2");
    received("1 success", "2 success");
    holds(0, MTU, 91);
    holds(MTU, 10, 92);
    holds(2 * MTU, 20, 93);
  }

  @Test
  void shouldAcknowledgeARepeatedMessageButTakeItOnce() {
    credits(8);
    post(1, 0, MTU);
    post(2, MTU, MTU);
    hears(message(Opcode.RC_SEND_ONLY, 500, true, 4, 91));
    said("ACKNOWLEDGE 500 ok msn 1");
    hears(message(Opcode.RC_SEND_ONLY, 500, true, 4, 92));
    said("ACKNOWLEDGE 500 ok msn 1");
    received("1 success");
    holds(0, 4, 91);
    hears(message(Opcode.RC_SEND_ONLY, 501, false, 4, 93));
    received("2 success");
  }

  @Test
  void shouldSayOnceThatAMessageIsMissing() {
    credits(8);
    post(1, 0, MTU);
    post(2, MTU, MTU);
    hears(message(Opcode.RC_SEND_ONLY, 501, true, 4, 92));
    said("ACKNOWLEDGE 500 refused 0 msn 0");
    hears(message(Opcode.RC_SEND_ONLY, 502, true, 4, 93));
    said();
    received();
    hears(message(Opcode.RC_SEND_ONLY, 500, true, 4, 91));
    said("ACKNOWLEDGE 500 ok msn 1");
    hears(message(Opcode.RC_SEND_ONLY, 502, true, 4, 93));
    said("Credits 0 4", "ACKNOWLEDGE 501 refused 0 msn 1");
    received("1 success");
  }

  @Test
  void shouldSayThatItIsNotReadyWithoutAReceiveAndThatItIsWhenOneIsPosted() {
    credits(8);
    hears(message(Opcode.RC_SEND_ONLY, 500, true, 4, 91));
    said("ACKNOWLEDGE 500 not ready 10 msn 0");
    hears(message(Opcode.RC_SEND_ONLY, 501, true, 4, 92)); // It was under way.
    said();
    post(1, 0, MTU);
    said("ACKNOWLEDGE 499 ok msn 0");
    post(2, MTU, MTU);
    said();
    hears(message(Opcode.RC_SEND_ONLY, 500, true, 4, 91));
    said("ACKNOWLEDGE 500 ok msn 1");
    received("1 success");
  }

  @Test
  void shouldAnswerReadsInTheirOrderAndAfterWhatCameBefore() {
    post(1, 8 * MTU, MTU);
    hears(message(Opcode.RC_SEND_ONLY, 500, true, 4, 91));
    asked(Opcode.RC_RDMA_READ_REQUEST, 501, MTU, 2 * MTU + 1);
    asked(Opcode.RC_RDMA_READ_REQUEST, 504, 0, 7);
    said();
    credits(2);
    said("RDMA_READ_RESPONSE_FIRST 501 ok msn 3 256 of 2", "RDMA_READ_RESPONSE_MIDDLE 502 256 of 3");
    credits(4);
    said("RDMA_READ_RESPONSE_LAST 503 ok msn 3 1 of 4", "RDMA_READ_RESPONSE_ONLY 504 ok msn 3 7 of 1", "ACKNOWLEDGE 500 ok msn 3");
    received("1 success");
  }

  @Test
  void shouldAnswerARepeatedReadAnewAndARepeatedAtomicWithWhatItWas() {
    credits(20);
    memory.set(ValueLayout.JAVA_LONG, 0, 40);
    asked(Opcode.RC_RDMA_READ_REQUEST, 500, MTU, 2 * MTU);
    said("RDMA_READ_RESPONSE_FIRST 500 ok msn 1 256 of 2", "RDMA_READ_RESPONSE_LAST 501 ok msn 1 256 of 3");
    asked(Opcode.RC_FETCH_ADD, 502, 0, 2);
    said("ATOMIC_ACKNOWLEDGE 502 ok msn 2 was 40");
    asked(Opcode.RC_RDMA_READ_REQUEST, 501, 2 * MTU, MTU);
    said("RDMA_READ_RESPONSE_ONLY 501 ok msn 2 256 of 3");
    asked(Opcode.RC_FETCH_ADD, 502, 0, 2);
    said("Credits 0 4", "ATOMIC_ACKNOWLEDGE 502 ok msn 2 was 40");
    assertEquals(42, memory.get(ValueLayout.JAVA_LONG, 0), "it was executed once");
  }

  @Test
  void shouldRefuseWhatTheKeyDoesNotGrantAndTakeNoMore() {
    credits(8);
    post(1, 0, 4);
    hears(packet(Opcode.RC_RDMA_WRITE_ONLY, 500, true, 0, mr.rkey() + 1, 4, 0, 0, bytes(4, 91)));
    said("ACKNOWLEDGE 500 refused 2 msn 0");
    received("1 wr_flush_err");
    assertEquals(QpState.ERR, qp.state());
    hears(packet(Opcode.RC_RDMA_WRITE_ONLY, 500, true, 0, mr.rkey(), 4, 0, 0, bytes(4, 92)));
    holds(0, MTU, 1);
  }

  @Test
  void shouldPlaceAWriteAndAcknowledgeIt() {
    credits(8);
    hears(packet(Opcode.RC_RDMA_WRITE_FIRST, 500, false, MTU, mr.rkey(), MTU + 2, 0, 0, bytes(MTU, 91)));
    said();
    hears(message(Opcode.RC_RDMA_WRITE_LAST, 501, true, 2, 92));
    said("ACKNOWLEDGE 501 ok msn 1");
    holds(MTU, MTU, 91);
    holds(2 * MTU, 2, 92);
    holds(2 * MTU + 2, MTU - 2, 3);
  }

  // ---- the actor

  @Test
  void shouldCountWhatItDoesNotUnderstandAndGoOn() {
    hears(new CableMessage.Xoff(0, true));
    assertEquals(1, hca.inspect().counters().unknownMessages());
    hears(message(Opcode.UD_SEND_ONLY, 500, false, 4, 91));
    assertEquals(1, hca.inspect().counters().packetsDropped());
    assertFalse(hca.isClosed());
  }
}

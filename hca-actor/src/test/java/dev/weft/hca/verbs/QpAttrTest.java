package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@link QueuePair#modify} says of attributes that do not fit. */
@Tag("simulation")
class QpAttrTest {
  private static String refusal(QueuePair qp, QpAttr attr) {
    QpState before = qp.state();
    VerbsException refused = assertThrows(VerbsException.class, () -> qp.modify(attr));
    assertEquals(VerbsException.Errno.EINVAL, refused.errno());
    assertEquals(before, qp.state());
    return refused.getMessage();
  }

  @Test
  void shouldNameEverythingThatIsMissingByItsSetter() {
    try (Pair pair = new Pair()) {
      QueuePair qp = pair.a.qp;
      qp.modify(QpAttr.init(Access.ALL));
      String start = "EINVAL: queue pair " + qp.qpNum() + ": RC from INIT to RTR needs ";
      assertEquals(start + "destLid, pathMtu, rqPsn, destQpNum", refusal(qp, QpAttr.rtr()));
      assertEquals(start + "rqPsn", refusal(qp, QpAttr.rtr().destLid(2).destQpNum(3).pathMtu(1024)));
      assertEquals(start + "minRnrTimer, maxDestRdAtomic",
          refusal(qp, QpAttr.rtrUc().destLid(2).destQpNum(3).rqPsn(4).pathMtu(1024)));
    }
  }

  @Test
  void shouldNameWhatIsMissingAndWhatDoesNotBelongThereAtOnce() {
    try (Pair pair = new Pair()) {
      QueuePair qp = pair.a.qp;
      qp.modify(QpAttr.init(Access.ALL));
      assertEquals("EINVAL: queue pair " + qp.qpNum() + ": RC from INIT to RTR needs pathMtu too, and does not take timeout, sqPsn",
          refusal(qp, QpAttr.rtr().destLid(2).destQpNum(3).rqPsn(4).sqPsn(5).timeout(6)));
    }
  }

  @ParameterizedTest
  @CsvSource({"UC,'minRnrTimer, maxDestRdAtomic'", "UD,'destLid, pathMtu, rqPsn, minRnrTimer, maxDestRdAtomic, destQpNum'"})
  void shouldNameWhatTheTransportServiceDoesNotTake(QpType type, String names) {
    try (Pair pair = new Pair()) {
      CompletionQueue cq = pair.a.hca.createCq(4, ReceiveContext.POLLING, null);
      QueuePair qp = pair.a.hca.createQp(pair.a.hca.allocPd(), QpInitAttr.of(cq, 1).withType(type));
      qp.modify(type == QpType.UD ? QpAttr.initUd(1) : QpAttr.init(Access.ALL));
      assertEquals("EINVAL: queue pair " + qp.qpNum() + ": " + type + " from INIT to RTR does not take " + names,
          refusal(qp, QpAttr.rtr().destLid(2).destQpNum(3).rqPsn(4).pathMtu(1024)));
    }
  }

  @Test
  void shouldNameALidThatWasForgottenBesideItsServiceLevel() {
    try (Pair pair = new Pair()) {
      QueuePair qp = pair.a.qp;
      qp.modify(QpAttr.init(Access.ALL));
      assertEquals("EINVAL: destLid is 0, must be from 1 to 49151",
          refusal(qp, QpAttr.rtr().serviceLevel(1).destQpNum(3).rqPsn(4).pathMtu(1024)));
    }
  }
}

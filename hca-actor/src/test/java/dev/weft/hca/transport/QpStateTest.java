package dev.weft.hca.transport;

import static dev.weft.hca.verbs.QpAttr.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.Masked;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** All 49 pairs of queue pair states, and the attributes that each change takes (specification volume 1, table 91, for RC). */
@Tag("slow")
@Tag("simulation")
class QpStateTest {
  /** The same for all types. */
  static final Map<QpState, Set<QpState>> LEGAL = Map.of(
      QpState.RESET, EnumSet.of(QpState.RESET, QpState.INIT),
      QpState.INIT, EnumSet.of(QpState.RESET, QpState.ERR, QpState.INIT, QpState.RTR),
      QpState.RTR, EnumSet.of(QpState.RESET, QpState.ERR, QpState.RTS),
      QpState.RTS, EnumSet.of(QpState.RESET, QpState.ERR, QpState.RTS, QpState.SQD),
      QpState.SQD, EnumSet.of(QpState.RESET, QpState.ERR, QpState.RTS, QpState.SQD),
      QpState.SQE, EnumSet.of(QpState.RESET, QpState.ERR, QpState.RTS),
      QpState.ERR, EnumSet.of(QpState.RESET, QpState.ERR));
  private static final int RTR_NEEDS = AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER;
  private static final int RTS_NEEDS = TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC;
  private static final int[] BITS = {CUR_STATE, EN_SQD_ASYNC_NOTIFY, ACCESS_FLAGS, PKEY_INDEX, PORT, AV, PATH_MTU, TIMEOUT, RETRY_CNT,
    RNR_RETRY, RQ_PSN, MAX_QP_RD_ATOMIC, MIN_RNR_TIMER, SQ_PSN, MAX_DEST_RD_ATOMIC, DEST_QPN};

  private static int required(QpState from, QpState to) {
    if (from == QpState.RESET && to == QpState.INIT) {
      return PKEY_INDEX | PORT | ACCESS_FLAGS;
    }
    if (to == QpState.RTR) {
      return RTR_NEEDS;
    }
    return from == QpState.RTR && to == QpState.RTS ? RTS_NEEDS : 0;
  }

  private static int optional(QpState from, QpState to) {
    return switch (from) {
      case INIT -> to == QpState.INIT ? PKEY_INDEX | PORT | ACCESS_FLAGS : to == QpState.RTR ? ACCESS_FLAGS | PKEY_INDEX : 0;
      case RTR -> to == QpState.RTS ? CUR_STATE | ACCESS_FLAGS | MIN_RNR_TIMER : 0;
      case RTS -> to == QpState.RTS ? CUR_STATE | ACCESS_FLAGS | MIN_RNR_TIMER : to == QpState.SQD ? EN_SQD_ASYNC_NOTIFY : 0;
      case SQD -> to == QpState.RTS ? CUR_STATE | ACCESS_FLAGS | MIN_RNR_TIMER : to == QpState.SQD
          ? CUR_STATE | PORT | AV | TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_QP_RD_ATOMIC | MAX_DEST_RD_ATOMIC | ACCESS_FLAGS | PKEY_INDEX
              | MIN_RNR_TIMER : 0;
      case SQE -> to == QpState.RTS ? CUR_STATE | ACCESS_FLAGS : 0;
      case RESET, ERR -> 0;
    };
  }

  /** A queue pair taken to {@code state}. RC never enters SQE by itself, and nobody may ask for it: it is set by hand. */
  private static QueuePair in(Pair pair, QpState state) {
    QueuePair qp = pair.a.qp;
    if (state == QpState.RESET) {
      return qp;
    }
    qp.modify(attr(QpState.INIT, PKEY_INDEX | PORT | ACCESS_FLAGS, QpState.RESET));
    if (state != QpState.INIT) {
      qp.modify(attr(QpState.RTR, RTR_NEEDS, QpState.INIT));
    }
    if (state != QpState.INIT && state != QpState.RTR) {
      qp.modify(attr(QpState.RTS, RTS_NEEDS, QpState.RTR));
    }
    if (state == QpState.SQD || state == QpState.ERR) {
      qp.modify(new QpAttr().state(state));
    }
    if (state == QpState.SQE) {
      ((Qp) qp).state = QpState.SQE;
    }
    assertEquals(state, qp.state());
    return qp;
  }

  /** Attributes with valid values for exactly the bits of {@code mask}; all different from what {@link #in} sets if from SQD. */
  private static QpAttr attr(QpState to, int mask, QpState from) {
    QpAttr all = new QpAttr().state(to).curState(from).enSqdAsyncNotify(true).accessFlags(Access.REMOTE_READ).pkeyIndex(0).port(1)
        .destLid(2).pathMtu(512).timeout(10).retryCnt(3).rnrRetry(2).rqPsn(77).maxRdAtomic(4).minRnrTimer(3).sqPsn(88)
        .maxDestRdAtomic(5).destQpNum(99);
    return Masked.of(all, mask | STATE);
  }

  private static List<Object> attributes(QueuePair qp) {
    QpAttr q = qp.query();
    return List.of(q.state(), q.accessFlags(), q.destLid(), q.serviceLevel(), q.pathMtu(), q.timeout(), q.retryCnt(), q.rnrRetry(),
        q.rqPsn(), q.sqPsn(), q.maxRdAtomic(), q.maxDestRdAtomic(), q.minRnrTimer(), q.destQpNum());
  }

  private static void refused(QueuePair qp, QpAttr attr) {
    List<Object> before = attributes(qp);
    VerbsException e = assertThrows(VerbsException.class, () -> qp.modify(attr));
    assertEquals(Errno.EINVAL, e.errno());
    assertTrue(e.getMessage().length() > "EINVAL: ".length());
    assertEquals(before, attributes(qp), "a refused change changes nothing");
  }

  static Stream<Arguments> pairs() {
    List<Arguments> all = new ArrayList<>();
    for (QpState from : QpState.values()) {
      for (QpState to : QpState.values()) {
        all.add(Arguments.of(from, to));
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void shouldAllowExactlyTheLegalChangesOfState(QpState from, QpState to) {
    try (Pair pair = new Pair()) {
      QueuePair qp = in(pair, from);
      if (LEGAL.get(from).contains(to)) {
        qp.modify(attr(to, required(from, to), from));
        assertEquals(to, qp.state());
      } else {
        refused(qp, attr(to, required(from, to), from));
      }
    }
  }

  static Stream<Arguments> legalPairs() {
    return pairs().filter(a -> LEGAL.get((QpState) a.get()[0]).contains((QpState) a.get()[1]));
  }

  @ParameterizedTest
  @MethodSource("legalPairs")
  void shouldRefuseAnyMissingAttribute(QpState from, QpState to) {
    try (Pair pair = new Pair()) {
      QueuePair qp = in(pair, from);
      int required = required(from, to);
      for (int bit : BITS) {
        if ((required & bit) != 0) {
          refused(qp, attr(to, required & ~bit, from));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("legalPairs")
  void shouldRefuseAnySuperfluousAttribute(QpState from, QpState to) {
    try (Pair pair = new Pair()) {
      QueuePair qp = in(pair, from);
      for (int bit : BITS) {
        if (((required(from, to) | optional(from, to)) & bit) == 0) {
          refused(qp, attr(to, required(from, to) | bit, from));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("legalPairs")
  void shouldTakeEveryOptionalAttribute(QpState from, QpState to) {
    try (Pair pair = new Pair()) {
      QueuePair qp = in(pair, from);
      qp.modify(attr(to, required(from, to) | optional(from, to), from));
      assertEquals(to, qp.state());
    }
  }

  @ParameterizedTest
  @CsvSource({"PKEY,1", "PORT,0", "PORT,2", "ACCESS,16"})
  void shouldRefuseValuesOutOfRangeOnTheWayToInit(String what, int value) {
    try (Pair pair = new Pair()) {
      QpAttr attr = QpAttr.init(0);
      switch (what) {
        case "PKEY" -> attr.pkeyIndex(value);
        case "PORT" -> attr.port(value);
        default -> attr.accessFlags(value);
      }
      refused(pair.a.qp, attr);
    }
  }

  @ParameterizedTest
  @CsvSource({"LID,0", "LID,49152", "SL,16", "SL,-1", "MTU,128", "MTU,1000", "MTU,65536", "QPN,16777216", "PSN,16777216", "PSN,-1",
    "DEST_RD,129", "RNR,32", "RNR,-1"})
  void shouldRefuseValuesOutOfRangeOnTheWayToRtr(String what, int value) {
    try (Pair pair = new Pair()) {
      QueuePair qp = in(pair, QpState.INIT);
      QpAttr attr = attr(QpState.RTR, RTR_NEEDS, QpState.INIT);
      switch (what) {
        case "LID" -> attr.destLid(value);
        case "SL" -> attr.destLid(2).serviceLevel(value);
        case "MTU" -> attr.pathMtu(value);
        case "QPN" -> attr.destQpNum(value);
        case "PSN" -> attr.rqPsn(value);
        case "DEST_RD" -> attr.maxDestRdAtomic(value);
        default -> attr.minRnrTimer(value);
      }
      refused(qp, attr);
    }
  }

  @ParameterizedTest
  @CsvSource({"TIMEOUT,32", "TIMEOUT,-1", "RETRY,8", "RNR,8", "PSN,16777216", "RD,129"})
  void shouldRefuseValuesOutOfRangeOnTheWayToRts(String what, int value) {
    try (Pair pair = new Pair()) {
      QueuePair qp = in(pair, QpState.RTR);
      QpAttr attr = attr(QpState.RTS, RTS_NEEDS, QpState.RTR);
      switch (what) {
        case "TIMEOUT" -> attr.timeout(value);
        case "RETRY" -> attr.retryCnt(value);
        case "RNR" -> attr.rnrRetry(value);
        case "PSN" -> attr.sqPsn(value);
        default -> attr.maxRdAtomic(value);
      }
      refused(qp, attr);
    }
  }

  @Test
  void shouldRefuseAWrongCurrentState() {
    try (Pair pair = new Pair()) {
      refused(in(pair, QpState.RTS), new QpAttr().state(QpState.RTS).curState(QpState.SQE));
    }
  }

  @Test
  void shouldReportTheDrainOfTheSendQueueOnceAndRefuseChangesBeforeIt() {
    try (Pair pair = Pair.connected()) {
      pair.a.events();
      for (int i = 0; i < 3; i++) {
        pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 100_000).wrId(i).signaled());
      }
      pair.runUntil(() -> pair.a.counters().packetsSent() > 10);
      pair.a.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
      refused(pair.a.qp, new QpAttr().state(QpState.RTS));
      refused(pair.a.qp, new QpAttr().state(QpState.SQD).timeout(11));
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8).wrId(9).signaled());
      assertTrue(pair.a.events().isEmpty());
      pair.run();
      List<AsyncEvent> events = pair.a.events();
      assertEquals(List.of(new AsyncEvent(AsyncEvent.Type.SQ_DRAINED, pair.a.qp.qpNum())), events);
      int before = pair.a.sent().size();
      assertTrue(before >= 1 && before <= 3, "started messages were finished: " + before);
      pair.a.qp.modify(new QpAttr().state(QpState.SQD).timeout(11).maxDestRdAtomic(3));
      assertEquals(11, pair.a.qp.query().timeout());
      pair.a.qp.modify(new QpAttr().state(QpState.RTS));
      pair.run();
      assertEquals(4 - before, pair.a.sent().size(), "what was posted meanwhile leaves after the resume");
    }
  }

  @ParameterizedTest
  @CsvSource({"true,1", "false,0"})
  void shouldReportTheDrainAtOnceWhenNothingIsOutstanding(boolean notify, int events) {
    try (Pair pair = Pair.connected()) {
      pair.a.events();
      pair.a.qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(notify));
      assertEquals(events, pair.a.events().size());
      pair.a.qp.modify(new QpAttr().state(QpState.SQD));
      assertTrue(pair.a.events().isEmpty());
      pair.a.qp.modify(new QpAttr().state(QpState.RTS));
    }
  }

  @Test
  void shouldStartAfreshAfterAReset() {
    try (Pair pair = Pair.connected()) {
      pair.b.post(1, 0, 64);
      pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 64).signaled());
      pair.run();
      pair.b.received();
      pair.a.sent();
      pair.b.post(2, 0, 64);
      pair.reconnect();
      assertEquals(0, pair.b.qp.receiveQueueSize(), "a reset forgets posted receives");
      pair.b.post(3, 0, 64);
      pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 64).wrId(4).signaled());
      pair.run();
      assertEquals(4, pair.a.oneSent().wrId());
      assertEquals(3, pair.b.oneReceived().wrId());
    }
  }

  @Test
  void shouldTellThatCommunicationIsEstablishedWhenTheFirstRequestFindsTheResponderInRtr() {
    try (Pair pair = new Pair()) {
      pair.a.qp.modify(QpAttr.init(Access.ALL));
      pair.b.qp.modify(QpAttr.init(Access.ALL));
      pair.a.qp.modify(QpAttr.rtr().destLid(pair.b.hca.lid()).destQpNum(pair.b.qp.qpNum()).rqPsn(5).pathMtu(Pair.MTU));
      pair.b.qp.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(pair.a.qp.qpNum()).rqPsn(6).pathMtu(Pair.MTU));
      pair.a.qp.modify(QpAttr.rts(6));
      pair.b.events();
      for (int i = 0; i < 2; i++) {
        pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8));
      }
      pair.run();
      assertEquals(List.of(new AsyncEvent(AsyncEvent.Type.COMM_EST, pair.b.qp.qpNum())), pair.b.events());
    }
  }
}

package dev.weft.hca.transport;

import static dev.weft.hca.verbs.QpAttr.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.Masked;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** All 49 pairs of states of UC and of UD queue pairs, and the attributes that each change takes (volume 1, table 91). */
@Tag("simulation")
class UnreliableStateTest {
  private static final int[] BITS = {CUR_STATE, EN_SQD_ASYNC_NOTIFY, ACCESS_FLAGS, PKEY_INDEX, PORT, QKEY, AV, PATH_MTU, TIMEOUT,
    RETRY_CNT, RNR_RETRY, RQ_PSN, MAX_QP_RD_ATOMIC, MIN_RNR_TIMER, SQ_PSN, MAX_DEST_RD_ATOMIC, DEST_QPN};

  private static int own(QpType type) {
    return type == QpType.UC ? ACCESS_FLAGS : QKEY;
  }

  private static int required(QpType type, QpState from, QpState to) {
    if (from == QpState.RESET && to == QpState.INIT) {
      return PKEY_INDEX | PORT | own(type);
    }
    if (to == QpState.RTR) {
      return type == QpType.UC ? AV | PATH_MTU | DEST_QPN | RQ_PSN : 0;
    }
    return from == QpState.RTR && to == QpState.RTS ? SQ_PSN : 0;
  }

  private static int optional(QpType type, QpState from, QpState to) {
    if (to == QpState.RESET || to == QpState.ERR) {
      return 0;
    }
    return switch (from) {
      case INIT -> PKEY_INDEX | own(type) | (to == QpState.INIT ? PORT : 0);
      case RTR, SQE -> CUR_STATE | own(type);
      case RTS -> to == QpState.SQD ? EN_SQD_ASYNC_NOTIFY : CUR_STATE | own(type);
      case SQD -> to == QpState.RTS ? CUR_STATE | own(type) : PKEY_INDEX | own(type) | (type == QpType.UC ? AV : 0);
      case RESET, ERR -> 0;
    };
  }

  private static QueuePair in(Pair pair, QpType type, QpState state) {
    QueuePair qp = TypedPair.create(type, pair.a);
    List<QpState> way = List.of(QpState.RESET, QpState.INIT, QpState.RTR, QpState.RTS);
    for (int i = 1; i < way.size() && qp.state() != state; i++) {
      qp.modify(attr(way.get(i), required(type, way.get(i - 1), way.get(i)), way.get(i - 1)));
    }
    if (state == QpState.SQD || state == QpState.ERR) {
      qp.modify(new QpAttr().state(state));
    } else if (state == QpState.SQE) {
      // The way there is a send that fails: it names no registered memory.
      AddressHandle handle = pair.a.hca.createAh(pair.a.pd, 2, 0);
      qp.postSend(pair.a.wr.send().sge(0, 8, 1).to(handle, 99, 0));
      pair.run();
    }
    assertEquals(state, qp.state());
    return qp;
  }

  private static QpAttr attr(QpState to, int mask, QpState from) {
    QpAttr all = new QpAttr().state(to).curState(from).enSqdAsyncNotify(true).accessFlags(Access.REMOTE_WRITE).pkeyIndex(0).port(1)
        .destLid(2).pathMtu(512).timeout(10).retryCnt(3).rnrRetry(2).rqPsn(77).maxRdAtomic(4).minRnrTimer(3).sqPsn(88)
        .maxDestRdAtomic(5).destQpNum(99).qkey(55);
    return Masked.of(all, mask | STATE);
  }

  private static void refused(QueuePair qp, QpAttr attr) {
    QpState before = qp.state();
    VerbsException e = assertThrows(VerbsException.class, () -> qp.modify(attr), () -> qp + " took mask " + attr.mask());
    assertEquals(VerbsException.Errno.EINVAL, e.errno());
    assertEquals(before, qp.state());
  }

  static Stream<Arguments> pairs() {
    List<Arguments> all = new ArrayList<>();
    for (QpType type : List.of(QpType.UC, QpType.UD)) {
      for (QpState from : QpState.values()) {
        for (QpState to : QpState.values()) {
          all.add(Arguments.of(type, from, to));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void shouldAllowExactlyTheLegalChangesOfStateWithTheirAttributes(QpType type, QpState from, QpState to) {
    try (Pair pair = new Pair()) {
      int required = required(type, from, to);
      int optional = optional(type, from, to);
      if (!QpStateTest.LEGAL.get(from).contains(to)) {
        refused(in(pair, type, from), attr(to, required, from));
        return;
      }
      for (int bit : BITS) {
        if ((required & bit) != 0) {
          refused(in(pair, type, from), attr(to, required & ~bit, from));
        } else if ((optional & bit) == 0) {
          refused(in(pair, type, from), attr(to, required | bit, from));
        }
      }
      QueuePair bare = in(pair, type, from);
      bare.modify(attr(to, required, from));
      assertEquals(to, bare.state());
      QueuePair full = in(pair, type, from);
      full.modify(attr(to, required | optional, from));
      assertEquals(to, full.state());
      if (((required | optional) & QKEY) != 0) {
        assertEquals(55, full.query().qkey());
      }
    }
  }
}

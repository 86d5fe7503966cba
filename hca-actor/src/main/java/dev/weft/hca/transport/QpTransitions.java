package dev.weft.hca.transport;

import static dev.weft.hca.verbs.QpAttr.*;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.VerbsException;
import java.util.EnumMap;
import java.util.Map;

/** The state changes that a consumer may request, with their attributes (specification volume 1, table 91). */
final class QpTransitions {
  private record Rule(int required, int optional) {}

  private static final Map<QpType, Map<QpState, Map<QpState, Rule>>> RULES = new EnumMap<>(QpType.class);
  /** The setters by the number of their bit. */
  private static final String[] SETTERS = {"state", "curState", "enSqdAsyncNotify", "accessFlags", "pkeyIndex", "port", "qkey", "destLid",
    "pathMtu", "timeout", "retryCnt", "rnrRetry", "rqPsn", "maxRdAtomic", "altPath", "minRnrTimer", "sqPsn", "maxDestRdAtomic", "pathMigState",
    "cap", "destQpNum"};
  private static final int AFTER_RTS = CUR_STATE | ACCESS_FLAGS | MIN_RNR_TIMER;

  static {
    for (QpType type : QpType.values()) {
      RULES.put(type, new EnumMap<>(QpState.class));
      for (QpState from : QpState.values()) {
        RULES.get(type).put(from, new EnumMap<>(QpState.class));
        put(type, from, QpState.RESET, 0, 0);
        if (from != QpState.RESET) {
          put(type, from, QpState.ERR, 0, 0);
        }
      }
      put(type, QpState.RTS, QpState.SQD, 0, EN_SQD_ASYNC_NOTIFY);
    }
    putReliable();
    putUnreliable(QpType.UC, ACCESS_FLAGS, AV | PATH_MTU | DEST_QPN | RQ_PSN, AV);
    putUnreliable(QpType.UD, QKEY, 0, 0);
  }

  private QpTransitions() {}

  private static void putReliable() {
    put(QpState.RESET, QpState.INIT, PKEY_INDEX | PORT | ACCESS_FLAGS, 0);
    put(QpState.INIT, QpState.INIT, 0, PKEY_INDEX | PORT | ACCESS_FLAGS);
    put(QpState.INIT, QpState.RTR, AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER,
        ACCESS_FLAGS | PKEY_INDEX);
    put(QpState.RTR, QpState.RTS, TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC, AFTER_RTS);
    put(QpState.RTS, QpState.RTS, 0, AFTER_RTS);
    put(QpState.SQD, QpState.RTS, 0, AFTER_RTS);
    put(QpState.SQD, QpState.SQD, 0, PORT | AV | TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_QP_RD_ATOMIC | MAX_DEST_RD_ATOMIC
        | CUR_STATE | PKEY_INDEX | ACCESS_FLAGS | MIN_RNR_TIMER);
    put(QpState.SQE, QpState.RTS, 0, CUR_STATE | ACCESS_FLAGS);
  }

  /**
   * Adds the transitions of UC or UD, which differ in few attributes.
   *
   * @param own attributes that INIT requires and that may be changed later
   * @param rtr attributes that RTR requires
   * @param drained further attributes that may be changed while the send queue is drained
   */
  private static void putUnreliable(QpType type, int own, int rtr, int drained) {
    put(type, QpState.RESET, QpState.INIT, PKEY_INDEX | PORT | own, 0);
    put(type, QpState.INIT, QpState.INIT, 0, PKEY_INDEX | PORT | own);
    put(type, QpState.INIT, QpState.RTR, rtr, PKEY_INDEX | own);
    put(type, QpState.RTR, QpState.RTS, SQ_PSN, CUR_STATE | own);
    put(type, QpState.RTS, QpState.RTS, 0, CUR_STATE | own);
    put(type, QpState.SQD, QpState.RTS, 0, CUR_STATE | own);
    put(type, QpState.SQD, QpState.SQD, 0, PKEY_INDEX | own | drained);
    put(type, QpState.SQE, QpState.RTS, 0, CUR_STATE | own);
  }

  private static void put(QpState from, QpState to, int required, int optional) {
    put(QpType.RC, from, to, required, optional);
  }

  private static void put(QpType type, QpState from, QpState to, int required, int optional) {
    RULES.get(type).get(from).put(to, new Rule(required, optional));
  }

  /** Whether a consumer may request that change. */
  static boolean isLegal(QpType type, QpState from, QpState to) {
    return RULES.get(type).get(from).containsKey(to);
  }

  /** Throws EINVAL if the change is illegal or its attributes are missing, superfluous or out of range; changes nothing. */
  static void check(int qpNum, QpType type, QpState from, QpAttr attr, HcaSettings settings) {
    QpState to = (attr.mask() & STATE) != 0 ? attr.state() : from;
    if ((attr.mask() & CUR_STATE) != 0 && attr.curState() != from) {
      throw invalid("queue pair " + qpNum + " is in " + from + ", but curState is " + attr.curState());
    }
    Rule rule = RULES.get(type).get(from).get(to);
    if (rule == null) {
      throw invalid("queue pair " + qpNum + " is in " + from + " and cannot change to " + to + "; from " + from + ", " + type
          + " can change to " + RULES.get(type).get(from).keySet());
    }
    int given = attr.mask() & ~STATE;
    int missing = rule.required & ~given;
    int superfluous = given & ~(rule.required | rule.optional);
    if (missing != 0 || superfluous != 0) {
      throw invalid("queue pair " + qpNum + ": " + type + " from " + from + " to " + to + (missing == 0 ? "" : " needs " + describe(missing))
          + (missing == 0 || superfluous == 0 ? "" : " too, and") + (superfluous == 0 ? "" : " does not take " + describe(superfluous)));
    }
    checkRanges(attr, settings);
  }

  private static void checkRanges(QpAttr a, HcaSettings settings) {
    range(a, PKEY_INDEX, "pkeyIndex", a.pkeyIndex(), 0, 0);
    range(a, PORT, "port", a.port(), 1, 1);
    range(a, AV, "destLid", a.destLid(), 1, 0xbfff);
    range(a, AV, "serviceLevel", a.serviceLevel(), 0, 15);
    range(a, TIMEOUT, "timeout", a.timeout(), 0, 31);
    range(a, RETRY_CNT, "retryCnt", a.retryCnt(), 0, 7);
    range(a, RNR_RETRY, "rnrRetry", a.rnrRetry(), 0, 7);
    range(a, RQ_PSN, "rqPsn", a.rqPsn(), 0, Psn.MASK);
    range(a, SQ_PSN, "sqPsn", a.sqPsn(), 0, Psn.MASK);
    range(a, DEST_QPN, "destQpNum", a.destQpNum(), 0, Psn.MASK);
    range(a, MIN_RNR_TIMER, "minRnrTimer", a.minRnrTimer(), 0, 31);
    range(a, MAX_QP_RD_ATOMIC, "maxRdAtomic", a.maxRdAtomic(), 0, settings.rdAtomicMax());
    range(a, MAX_DEST_RD_ATOMIC, "maxDestRdAtomic", a.maxDestRdAtomic(), 0, settings.rdAtomicMax());
    if ((a.mask() & ACCESS_FLAGS) != 0 && (a.accessFlags() & ~Access.QP) != 0) {
      throw invalid("accessFlags is 0x" + Integer.toHexString(a.accessFlags()) + ", must be bits of 0x" + Integer.toHexString(Access.QP));
    }
    if ((a.mask() & QKEY) != 0 && a.qkey() < 0 && !settings.privilegedQkeys()) {
      throw new VerbsException(VerbsException.Errno.EPERM, "Q_Key 0x" + Integer.toHexString(a.qkey())
          + " is privileged; clear its top bit, or set weft.hca.privileged-qkeys");
    }
    if ((a.mask() & PATH_MTU) != 0) {
      range(a, PATH_MTU, "pathMtu", a.pathMtu(), 256, settings.pathMtuMaxBytes());
      if (Integer.bitCount(a.pathMtu()) != 1) {
        throw invalid("pathMtu is " + a.pathMtu() + ", must be a power of two");
      }
    }
  }

  private static void range(QpAttr attr, int bit, String name, int value, int low, int high) {
    if ((attr.mask() & bit) != 0 && (value < low || value > high)) {
      throw invalid(name + " is " + value + ", must be from " + low + " to " + high);
    }
  }

  private static VerbsException invalid(String message) {
    return new VerbsException(VerbsException.Errno.EINVAL, message);
  }

  /** Returns the names of the setters of {@link QpAttr} for the bits. */
  private static String describe(int mask) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < SETTERS.length; i++) {
      if ((mask & (1 << i)) != 0) {
        text.append(text.isEmpty() ? "" : ", ").append(SETTERS[i]);
      }
    }
    return text.toString();
  }
}

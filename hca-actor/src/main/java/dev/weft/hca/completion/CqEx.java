package dev.weft.hca.completion;

import dev.weft.hca.verbs.CompletionQueueEx;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;

/** Reads the entries of a {@link Cq} in place, without copying them. */
public final class CqEx implements CompletionQueueEx {
  private final Cq cq;
  private final boolean timestamps;
  private WorkCompletion current;

  public CqEx(Cq cq, boolean timestamps) {
    this.cq = cq;
    this.timestamps = timestamps;
  }

  @Override
  public Cq cq() {
    return cq;
  }

  @Override
  public boolean startPoll() {
    WorkCompletion first = cq.startPoll();
    if (first == null) {
      return false;
    }
    current = first;
    return true;
  }

  @Override
  public boolean nextPoll() {
    current();
    current = cq.nextPoll();
    return current != null;
  }

  @Override
  public void endPoll() {
    boolean consumed = current != null;
    current = null;
    cq.endPoll(consumed);
  }

  private WorkCompletion current() {
    WorkCompletion wc = current;
    if (wc == null) {
      throw new VerbsException(Errno.EINVAL, "no completion is being read; call startPoll or nextPoll first, and read only if it returns true");
    }
    return wc;
  }

  @Override
  public long wrId() {
    return current().wrId();
  }

  @Override
  public WcStatus status() {
    return current().status();
  }

  @Override
  public WcOpcode opcode() {
    return current().opcode();
  }

  @Override
  public int byteLen() {
    return current().byteLen();
  }

  @Override
  public boolean hasImm() {
    return current().hasImm();
  }

  @Override
  public int immData() {
    return current().immData();
  }

  @Override
  public boolean hasInvalidatedRkey() {
    return current().hasInvalidatedRkey();
  }

  @Override
  public int invalidatedRkey() {
    return current().invalidatedRkey();
  }

  @Override
  public int qpNum() {
    return current().qpNum();
  }

  @Override
  public int srcLid() {
    return current().srcLid();
  }

  @Override
  public int vendorErr() {
    return current().vendorErr();
  }

  @Override
  public long completionTimestampNs() {
    if (!timestamps) {
      throw new VerbsException(Errno.EOPNOTSUPP, cq + " was created without timestamps");
    }
    return current().timestampNs();
  }
}

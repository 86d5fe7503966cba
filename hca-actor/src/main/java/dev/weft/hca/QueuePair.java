package dev.weft.hca;

/** STUB being written: a reliable connected queue pair. */
public final class QueuePair {
  public int qpNum() {
    throw new UnsupportedOperationException();
  }

  /** Posts a copy of the request; throws VerbsException ENOMEM when the queue is full, EINVAL for a bad request or state. */
  public void postSend(WorkRequest request) {
    throw new UnsupportedOperationException();
  }

  public void postReceive(ReceiveRequest request) {
    throw new UnsupportedOperationException();
  }

  public void modify(QpAttr attr) {
    throw new UnsupportedOperationException();
  }

  public QpState state() {
    throw new UnsupportedOperationException();
  }
}

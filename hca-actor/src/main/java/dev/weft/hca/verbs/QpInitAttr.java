package dev.weft.hca.verbs;

import dev.weft.fabric.Check;

/**
 * How a queue pair is created, as {@code ibv_qp_init_attr}.
 *
 * @param sendCq where send completions go
 * @param receiveCq where receive completions go; may be the same
 * @param maxSendWr send queue depth in requests, 1 to the device's limit
 * @param maxRecvWr receive queue depth in requests
 * @param maxSendSge scatter/gather elements per send request
 * @param maxRecvSge scatter/gather elements per receive request
 * @param maxInlineData bytes that a request may carry inline
 * @param sqSigAll every send request completes, signaled or not
 * @param srq where receives come from instead of a queue of its own, or null; {@code maxRecvWr} and {@code maxRecvSge} are ignored then
 * @param type transport service
 */
public record QpInitAttr(
    CompletionQueue sendCq,
    CompletionQueue receiveCq,
    int maxSendWr,
    int maxRecvWr,
    int maxSendSge,
    int maxRecvSge,
    int maxInlineData,
    boolean sqSigAll,
    SharedReceiveQueue srq,
    QpType type) {

  public QpInitAttr {
    Check.given("sendCq", sendCq);
    Check.given("receiveCq", receiveCq);
    Check.given("type", type);
  }

  /** Reliable connected, with a receive queue of its own. */
  public QpInitAttr(CompletionQueue sendCq, CompletionQueue receiveCq, int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge,
      int maxInlineData, boolean sqSigAll) {
    this(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, null, QpType.RC);
  }

  /** The same with another completion queue for receives. */
  public QpInitAttr withReceiveCq(CompletionQueue receiveCq) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, srq, type);
  }

  /** The same with another depth of the send queue, in requests. */
  public QpInitAttr withMaxSendWr(int depth) {
    return new QpInitAttr(sendCq, receiveCq, depth, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, srq, type);
  }

  /** The same with another depth of the receive queue, in requests. */
  public QpInitAttr withMaxRecvWr(int depth) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, depth, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, srq, type);
  }

  /** The same with so many scatter/gather elements for each request, send or receive. */
  public QpInitAttr withMaxSge(int elements) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, elements, elements, maxInlineData, sqSigAll, srq, type);
  }

  /** The same with so many bytes that a request may carry inline. */
  public QpInitAttr withMaxInlineData(int bytes) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, bytes, sqSigAll, srq, type);
  }

  /** The same with a completion for every send request. */
  public QpInitAttr withSqSigAll() {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, true, srq, type);
  }

  /** The same with receives from a shared queue; null for a queue of its own. */
  public QpInitAttr withSrq(SharedReceiveQueue shared) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, shared, type);
  }

  /** The same with another transport service. */
  public QpInitAttr withType(QpType type) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, srq, type);
  }

  /** Both queues {@code depth} deep on one completion queue, 4 elements per request, 256 bytes inline. */
  public static QpInitAttr of(CompletionQueue cq, int depth) {
    Check.given("cq", cq);
    return new QpInitAttr(cq, cq, depth, depth, 4, 4, 256, false);
  }
}

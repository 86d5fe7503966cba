package dev.weft.hca.verbs;

import dev.weft.fabric.Check;

/**
 * The attributes for creating a queue pair, as {@code ibv_qp_init_attr}.
 *
 * @param sendCq completion queue for sends
 * @param receiveCq completion queue for receives; may be the same
 * @param maxSendWr send queue depth in requests, 1 to the device's limit
 * @param maxRecvWr receive queue depth in requests
 * @param maxSendSge scatter/gather elements per send request
 * @param maxRecvSge scatter/gather elements per receive request
 * @param maxInlineData bytes that a request may carry inline
 * @param sqSigAll whether every send request has a completion, signaled or not
 * @param srq shared receive queue, or null for a receive queue of its own; with one, {@code maxRecvWr} and {@code maxRecvSge} are ignored
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

  /** Creates attributes of a reliable connected queue pair with its own receive queue. */
  public QpInitAttr(CompletionQueue sendCq, CompletionQueue receiveCq, int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge,
      int maxInlineData, boolean sqSigAll) {
    this(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, null, QpType.RC);
  }

  /** Returns a copy with another completion queue for receives. */
  public QpInitAttr withReceiveCq(CompletionQueue receiveCq) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, srq, type);
  }

  /** Returns a copy with another depth of the send queue, in requests. */
  public QpInitAttr withMaxSendWr(int depth) {
    return new QpInitAttr(sendCq, receiveCq, depth, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, srq, type);
  }

  /** Returns a copy with another depth of the receive queue, in requests. */
  public QpInitAttr withMaxRecvWr(int depth) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, depth, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, srq, type);
  }

  /** Returns a copy with {@code elements} scatter/gather elements for each send and receive request. */
  public QpInitAttr withMaxSge(int elements) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, elements, elements, maxInlineData, sqSigAll, srq, type);
  }

  /** Returns a copy with {@code bytes} bytes of inline data per request. */
  public QpInitAttr withMaxInlineData(int bytes) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, bytes, sqSigAll, srq, type);
  }

  /** Returns a copy with a completion for every send request. */
  public QpInitAttr withSqSigAll() {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, true, srq, type);
  }

  /** Returns a copy with a shared receive queue; null for a queue of its own. */
  public QpInitAttr withSrq(SharedReceiveQueue shared) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, shared, type);
  }

  /** Returns a copy with another transport service. */
  public QpInitAttr withType(QpType type) {
    return new QpInitAttr(sendCq, receiveCq, maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, sqSigAll, srq, type);
  }

  /** Returns attributes with two queues of {@code depth} requests on one completion queue, 4 elements per request, 256 bytes inline. */
  public static QpInitAttr of(CompletionQueue cq, int depth) {
    Check.given("cq", cq);
    return new QpInitAttr(cq, cq, depth, depth, 4, 4, 256, false);
  }
}

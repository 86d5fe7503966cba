package dev.weft.fabric.switching;

/** The reason why a port discarded a packet. */
public enum DiscardReason {
  /** No route for the destination LID, or the route leads to a port without a cable. */
  NO_ROUTE,
  /** The ingress or the egress link was down. */
  LINK_DOWN,
  /** The far end sent without a credit. */
  CREDIT_VIOLATION,
  /** The far end of the egress link granted no credit for the head-of-queue lifetime; for lossless packets, for the lossless lifetime. */
  HEAD_OF_QUEUE_LIFETIME
}

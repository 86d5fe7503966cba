package dev.weft.hca.transport;

import dev.weft.fabric.HardwareMessage;

/** What queue pairs and their timers tell the actor of their HCA. */
public sealed interface QueueMessage extends HardwareMessage {
  /** Something was posted to the send queue while the HCA slept for it. */
  record Doorbell(Qp qp) implements QueueMessage {}

  /** A receive was posted after the peer had been told that there was none, or in ERR. */
  record ReceivePosted(Qp qp) implements QueueMessage {}

  /** A receive was posted while queue pairs waited for one. */
  record SharedReceivePosted(Srq srq) implements QueueMessage {}

  /** The earliest deadline of a queue pair may have passed. */
  record TimerFired(long deadlineNs) implements QueueMessage {}
}

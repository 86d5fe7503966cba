package dev.weft.hca.transport;

import dev.weft.fabric.HardwareMessage;

/** The messages of queue pairs and their timers to the actor of their HCA. */
public sealed interface QueueMessage extends HardwareMessage {
  /** A request was posted to a send queue that the HCA was not processing. */
  record Doorbell(Qp qp) implements QueueMessage {}

  /** A receive was posted after the peer had been told that none was posted, or in ERR. */
  record ReceivePosted(Qp qp) implements QueueMessage {}

  /** A receive was posted while queue pairs waited for one. */
  record SharedReceivePosted(Srq srq) implements QueueMessage {}

  /** The earliest deadline of a queue pair may have passed. */
  record TimerFired(long deadlineNs) implements QueueMessage {}
}

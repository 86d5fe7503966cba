package dev.weft.fabric.time;

import akka.actor.typed.ActorRef;

/**
 * One-shot alarms with nanosecond deadlines. In real time, they fire from the hardware dispatcher's duty cycle, never
 * early; in virtual time, they are events of the simulation. Alarms cannot be cancelled: the message must tell its receiver
 * whether it is stale. Hardware actors call this on their thread.
 */
public interface Timers {
  /** Tells {@code message} to {@code receiver} at {@code deadlineNs} of the {@link Clock}, or soon after. */
  <T> void at(long deadlineNs, ActorRef<T> receiver, T message);
}

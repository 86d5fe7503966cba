package dev.weft.fabric;

/** A message to a hardware actor (HCA, switch port, NIC). The protocol of each of these actors extends it. */
public interface HardwareMessage {
  /** Frees what the message holds, because its receiver's mailbox was full and the message is lost. */
  default void rejected() {}
}

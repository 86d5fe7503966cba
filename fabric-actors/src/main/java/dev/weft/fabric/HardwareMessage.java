package dev.weft.fabric;

/** A message to a hardware actor (HCA, switch port, NIC). The protocol of each of these actors extends it. */
public interface HardwareMessage {}

package dev.weft.fabric;

/** Anything that a hardware actor (HCA, switch port, NIC) can be told. Each actor's own protocol extends it. */
public interface HardwareMessage {}

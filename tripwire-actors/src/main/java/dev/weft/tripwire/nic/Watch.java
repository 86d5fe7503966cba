package dev.weft.tripwire.nic;

/** The accesses that a Tripwire watches. */
public enum Watch { READ, WRITE }

package dev.weft.tripwire;

/** The accesses that a Tripwire watches. */
public enum Watch { READ, WRITE }

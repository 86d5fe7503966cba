package dev.weft.tripwire;

/** Which accesses a Tripwire tells of. */
public enum Watch { READ, WRITE }

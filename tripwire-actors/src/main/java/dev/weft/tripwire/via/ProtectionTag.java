package dev.weft.tripwire.via;

/** Connects VIs with the memory that they may use. */
public final class ProtectionTag {
  ProtectionTag() {}
}

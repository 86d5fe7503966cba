package dev.weft.tripwire.via;

/** Ties VIs to the memory that they may use. */
public final class ProtectionTag {
  ProtectionTag() {}
}

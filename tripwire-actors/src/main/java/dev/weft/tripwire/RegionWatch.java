package dev.weft.tripwire;

/** Placeholder of the next step. */
final class RegionWatch {
  private RegionWatch() {}
}

package dev.weft.lab.sim.dsm;

import dev.weft.dsm.SharingUnit;

/**
 * An array of longs that all nodes share.
 *
 * @param unitBytes bytes of a minipage
 * @param hot used elements; often neighbours, and at borders of minipages
 */
record SharedArray(String name, int length, int unitBytes, int[] hot) {
  SharingUnit unit() {
    return SharingUnit.bytes(unitBytes);
  }

  int perMinipage() {
    return unitBytes / Long.BYTES;
  }

  int minipages() {
    return (length + perMinipage() - 1) / perMinipage();
  }

  /** Whether some of {@code count} elements are in a minipage. */
  boolean isIn(int minipage, int index, int count) {
    return index / perMinipage() <= minipage && minipage <= (index + count - 1) / perMinipage();
  }
}

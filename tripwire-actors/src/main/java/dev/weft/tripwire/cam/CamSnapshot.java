package dev.weft.tripwire.cam;

import java.util.List;

/**
 * Part of a CAM at one moment.
 *
 * @param total Tripwires that are allocated
 * @param offset of the first one shown
 */
public record CamSnapshot(int total, int offset, List<Entry> entries) {
  /**
   * A Tripwire.
   *
   * @param bank what it watches, null if it was never set
   * @param start first address of its range in that bank, {@code end} the first one after it
   * @param once whether it is disarmed by firing
   * @param actions {@link Cam#FIFO} and so on
   * @param matches how often it has fired since it was allocated
   */
  public record Entry(int id, Bank bank, long start, long end, boolean armed, boolean once, int actions, long matches) {}
}

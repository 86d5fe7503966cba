package dev.weft.tripwire.cam;

import java.util.List;

/**
 * A part of a CAM at one moment.
 *
 * @param total number of allocated Tripwires
 * @param offset index of the first one shown
 */
public record CamSnapshot(int total, int offset, List<Entry> entries) {
  /**
   * A Tripwire.
   *
   * @param bank kind of the watched memory, null if it was never set
   * @param start first address of its range in that bank; {@code end} is the first address after it
   * @param once whether firing disarms it
   * @param actions {@link Cam#FIFO} and so on
   * @param matches number of firings since it was allocated
   */
  public record Entry(int id, Bank bank, long start, long end, boolean armed, boolean once, int actions, long matches) {}
}

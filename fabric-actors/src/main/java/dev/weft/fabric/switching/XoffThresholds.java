package dev.weft.fabric.switching;

/**
 * Xon/Xoff of a port's input buffers, beside credits: credits say what may come at most, Xoff says to stop earlier. Used only if the far
 * end wants it.
 */
final class XoffThresholds {
  private final boolean[] paused;
  private int xoffAt;
  private int xonAt;

  XoffThresholds(int virtualLanes) {
    paused = new boolean[virtualLanes];
  }

  /** From now on the far end is told to stop at {@code xoffAtPackets} occupied buffers and to go on at {@code xonAtPackets}. */
  void start(int xoffAtPackets, int xonAtPackets) {
    stop();
    xoffAt = Math.max(1, xoffAtPackets);
    xonAt = Math.max(0, Math.min(xonAtPackets, xoffAt - 1));
  }

  /** The link is down. */
  void stop() {
    xoffAt = 0;
    java.util.Arrays.fill(paused, false);
  }

  boolean isUsed() {
    return xoffAt > 0;
  }

  boolean isPaused(int lane) {
    return paused[lane];
  }

  /** A buffer was taken; true if the far end is to be told to stop. */
  boolean occupied(int lane, int occupied) {
    if (paused[lane] || occupied < xoffAt) {
      return false;
    }
    paused[lane] = true;
    return true;
  }

  /** A buffer was freed; true if the far end is to be told to go on. */
  boolean freed(int lane, int occupied) {
    if (!paused[lane] || occupied > xonAt) {
      return false;
    }
    paused[lane] = false;
    return true;
  }
}

package dev.weft.fabric.switching;

/**
 * Xon and Xoff of a port's input buffers. Credits limit how many packets the far end may send; Xoff makes it stop earlier. Used only if the
 * far end asks for it.
 */
final class XoffThresholds {
  private final boolean[] paused;
  private int xoffAt;
  private int xonAt;

  XoffThresholds(int virtualLanes) {
    paused = new boolean[virtualLanes];
  }

  /** Starts: the far end gets Xoff at {@code xoffAtPackets} occupied buffers, and Xon at {@code xonAtPackets}. */
  void start(int xoffAtPackets, int xonAtPackets) {
    stop();
    xoffAt = Math.max(1, xoffAtPackets);
    xonAt = Math.max(0, Math.min(xonAtPackets, xoffAt - 1));
  }

  /** Stops, because the link is down. */
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

  /** Handles a buffer that was taken. Returns true if the far end must get Xoff. */
  boolean occupied(int lane, int occupied) {
    if (paused[lane] || occupied < xoffAt) {
      return false;
    }
    paused[lane] = true;
    return true;
  }

  /** Handles a buffer that was freed. Returns true if the far end must get Xon. */
  boolean freed(int lane, int occupied) {
    if (!paused[lane] || occupied > xonAt) {
      return false;
    }
    paused[lane] = false;
    return true;
  }
}

package dev.weft.lab.seed000.shared;

/** How long faults took, from the access to the first instruction after it. */
public final class FaultTimes {
  /** Threads in what is measured. */
  private int measuring;
  private long reads;
  private long writes;
  private long readNs;
  private long writeNs;

  void begin() {
    measuring++;
  }

  void end() {
    measuring--;
  }

  /** One has ended; nothing happens outside of what is measured. */
  void add(boolean isWrite, long ns) {
    if (measuring == 0) {
      return;
    }
    if (isWrite) {
      writes++;
      writeNs += ns;
    } else {
      reads++;
      readNs += ns;
    }
  }

  public long reads() {
    return reads;
  }

  public long writes() {
    return writes;
  }

  /** Mean of those for reading, in nanoseconds; 0 if there were none. */
  public double readMeanNs() {
    return reads == 0 ? 0 : (double) readNs / reads;
  }

  /** Mean of those for writing. */
  public double writeMeanNs() {
    return writes == 0 ? 0 : (double) writeNs / writes;
  }

  /** Mean of all. */
  public double meanNs() {
    return reads + writes == 0 ? 0 : (double) (readNs + writeNs) / (reads + writes);
  }
}

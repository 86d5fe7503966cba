package dev.weft.pvfs.client;

/** Reports each loss of a daemon once to a program that has a file open for writing. Any thread. */
public final class LossWatch {
  /** For a program that does not write: reports nothing. */
  public static final LossWatch NONE = new LossWatch(null, 0, 0);

  private final LostChanges losses;
  private final long file;
  private long told;

  LossWatch(LostChanges losses, long file, long told) {
    this.losses = losses;
    this.file = file;
    this.told = told;
  }

  /** Call after a successful sync. Returns true, once for each loss, if changes of the file that were acknowledged before may be lost. */
  public synchronized boolean tells() {
    long loss = losses == null ? 0 : losses.tell(file, told);
    told = Math.max(told, loss);
    return loss > 0;
  }
}

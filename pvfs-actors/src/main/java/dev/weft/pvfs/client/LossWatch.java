package dev.weft.pvfs.client;

/** What somebody who has a file open to be written was told of changes that daemons have lost. Any thread. */
public final class LossWatch {
  /** Of who does not write, and is told nothing. */
  public static final LossWatch NONE = new LossWatch(null, 0, 0);

  private final LostChanges losses;
  private final long file;
  private long told;

  LossWatch(LostChanges losses, long file, long told) {
    this.losses = losses;
    this.file = file;
    this.told = told;
  }

  /** After a sync that went well: true, once for each loss, if changes of the file may be lost that were answered before. */
  public synchronized boolean tells() {
    long loss = losses == null ? 0 : losses.tell(file, told);
    told = Math.max(told, loss);
    return loss > 0;
  }
}

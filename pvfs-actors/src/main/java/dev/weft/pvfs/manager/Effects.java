package dev.weft.pvfs.manager;

/** Does on the daemons what the name space wants. */
interface Effects extends AutoCloseable {
  /** Told what became of an intent, by its id; any thread. */
  interface Listener {
    void done(long intent);

    /** It is to be begun again, after a while; {@code why} in words. */
    void failed(long intent, String why);

    /**
     * It cannot be done, now or later: a file was to be longer than a daemon's disk lets one be.
     *
     * @param errno for who asked for it
     * @param fileBytes how long the file is
     */
    void refused(long intent, int errno, long fileBytes);
  }

  /**
   * Begins.
   *
   * @return false if as many are under way as may be, or it is closed; nothing was begun then
   */
  boolean begin(Intent intent, Listener listener);

  @Override
  void close();
}

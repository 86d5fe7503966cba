package dev.weft.pvfs.manager;

/** Carries out on the daemons what the name space requires. */
interface Effects extends AutoCloseable {
  /** Receives the outcome of an intent, by its id; any thread. */
  interface Listener {
    void done(long intent);

    /** The effect failed and must be repeated after a while; {@code why} is text. */
    void failed(long intent, String why);

    /**
     * The effect can never be done: a file was to become longer than a daemon's disk allows.
     *
     * @param errno for the client that asked for it
     * @param fileBytes the file's actual length
     */
    void refused(long intent, int errno, long fileBytes);
  }

  /**
   * Begins an effect.
   *
   * @return false if the maximum is under way or this is closed; nothing was begun then
   */
  boolean begin(Intent intent, Listener listener);

  @Override
  void close();
}

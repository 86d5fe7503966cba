package dev.weft.pvfs.transport;

/** A service that is offered at a {@link Gate}. On the thread of the actor whose it is. */
public interface Door {
  /** Nobody comes. */
  Door NONE = new Door() {
    @Override
    public void service(int budget) {}

    @Override
    public void close() {}
  };

  /** Handles what has come, {@code budget} messages at most; the owner is told again if there is more. */
  void service(int budget);

  /** Closes all channels, and lets nobody in any more. */
  void close();
}

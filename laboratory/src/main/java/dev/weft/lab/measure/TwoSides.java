package dev.weft.lab.measure;

/** A client and a server with one connection between them, both in this JVM or this simulation. */
public abstract class TwoSides {
  private final Runnable finished;
  private int established;
  private volatile String failure;

  /** @param finished called in the client's context at the end, or where it failed */
  protected TwoSides(Runnable finished) {
    this.finished = finished;
  }

  /** Lays the connection. Any thread that may call control verbs. */
  protected final void connect(String service, ConnectedSide client, ConnectedSide server) {
    server.node.cm().listen(service, server::accept);
    client.connect(server.node.name(), service, new byte[0]);
  }

  /** Both sides are connected. */
  protected abstract void begin();

  /** Why it did not go well, or null. */
  public final String failure() {
    return failure;
  }

  /** To be called by each side. */
  protected final void onEstablished() {
    if (++established == 2) {
      begin();
    }
  }

  protected final void fail(String reason) {
    failure = reason;
    finished.run();
  }

  protected final void finish() {
    finished.run();
  }
}

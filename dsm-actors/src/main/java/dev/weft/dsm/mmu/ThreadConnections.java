package dev.weft.dsm.mmu;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Connections of the threads of a process to its node, one for each that asks. One whose thread has ended is closed, so that the node gives its locks to
 * others, who may wait for them: nothing tells of the end of a thread, so it is looked for when there is a new one, and from time to time. Any thread.
 */
final class ThreadConnections implements AutoCloseable {
  private static final long LOOK_NS = 50_000_000;

  private final Path path;
  private final Map<MmuConnection, Thread> all = new ConcurrentHashMap<>();
  private final ThreadLocal<MmuConnection> mine = ThreadLocal.withInitial(this::connect);
  private Thread looker;
  private volatile boolean closed;

  ThreadConnections(Path path) {
    this.path = path;
  }

  /** Of the calling thread; a new one where the one that it had is over, because the node may have room for one by now. */
  MmuConnection mine() {
    requireOpen();
    MmuConnection connection = mine.get();
    if (!connection.isOver()) {
      return connection;
    }
    close(connection);
    mine.remove();
    return mine.get();
  }

  private void requireOpen() {
    if (closed) {
      throw new MmuException("this memory was closed");
    }
  }

  private synchronized MmuConnection connect() {
    requireOpen();
    closeEnded();
    MmuConnection connection = new MmuConnection(path);
    all.put(connection, Thread.currentThread());
    if (looker == null) {
      looker = Thread.ofPlatform().daemon().name("weft-mmu-threads").start(this::look);
    }
    return connection;
  }

  private void look() {
    while (!closed) {
      closeEnded();
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  private void closeEnded() {
    all.forEach((connection, thread) -> {
      if (!thread.isAlive()) {
        close(connection);
      }
    });
  }

  private void close(MmuConnection connection) {
    if (all.remove(connection) != null) { // Once: its descriptor may be another file's then.
      connection.close();
    }
  }

  /** No thread has one any more. */
  @Override
  public synchronized void close() {
    closed = true;
    all.keySet().forEach(this::close);
    if (looker != null) {
      LockSupport.unpark(looker);
    }
  }
}

package dev.weft.dsm.mmu;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Connections of a process's threads to its node, one for each thread that asks. The connection of an ended thread is closed, so that the node passes
 * its locks to waiting threads. Java reports no end of a thread, so ended threads are sought from time to time, and whenever a new connection is
 * made. Any thread.
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

  /** The connection of the calling thread. If its connection is over, it gets a new one, because the node may have room by now. */
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
    if (all.remove(connection) != null) { // Only once: the descriptor may belong to another file later.
      connection.close();
    }
  }

  /** Closes the connections of all threads. */
  @Override
  public synchronized void close() {
    closed = true;
    all.keySet().forEach(this::close);
    if (looker != null) {
      LockSupport.unpark(looker);
    }
  }
}

package dev.weft.hca.netvm;

import java.lang.foreign.MemorySegment;

/**
 * Where pages are that have no frame. Requests come from any thread and never block; each is answered once, later, on a thread of the
 * store's choice. The frame is the store's from the request to its answer. There is at most one request for a page at a time.
 */
public interface BackingStore extends AutoCloseable {
  /** The answer to a request. */
  @FunctionalInterface
  interface Done {
    /** {@code failure} is null if it went well. */
    void done(String failure);
  }

  /** Fills a frame with what was written to that page last, or zeros. */
  void read(long page, MemorySegment frame, Done done);

  /** Keeps the bytes of a frame. */
  void write(long page, MemorySegment frame, Done done);

  /** The page will not be read before it is written again; what is kept of it is of no use. Zeros are read from now on. */
  void discard(long page);

  /** Gives everything back; requests that are not answered yet may fail. */
  @Override
  void close();
}

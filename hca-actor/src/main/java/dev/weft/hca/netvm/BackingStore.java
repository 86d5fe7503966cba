package dev.weft.hca.netvm;

import java.lang.foreign.MemorySegment;

/**
 * Stores the pages that have no frame. Any thread may call the methods; they never block. The store answers each request once, on a thread of its
 * choice, perhaps before the method returns. From the request to the answer, the frame belongs to the store. At most one request for a page is outstanding.
 */
public interface BackingStore extends AutoCloseable {
  /** The answer to a request. */
  @FunctionalInterface
  interface Done {
    /** {@code failure} is null on success, otherwise the error message. */
    void done(String failure);
  }

  /** Fills a frame with the bytes last written to the page, or with zeros. */
  void read(long page, MemorySegment frame, Done done);

  /** Stores the bytes of a frame. */
  void write(long page, MemorySegment frame, Done done);

  /** Discards the stored bytes of a page. Reads return zeros until the page is written again. */
  void discard(long page);

  /** Releases all resources; unanswered requests may fail. */
  @Override
  void close();
}

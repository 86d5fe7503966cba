package dev.weft.pager;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * An asynchronous block device. Any thread may call it. Completions run inline, on the hardware thread or on any other
 * thread, and must not block. They run exactly once for each accepted request, also while the device closes.
 * Offsets and lengths are in bytes with any alignment; the caller must have checked that they are inside the device. A read that
 * starts after a write has completed sees that write. Requests that are in flight at the same time are not ordered.
 */
public interface BlockDevice {
  /** Size in bytes; constant. */
  long sizeBytes();

  /** Size of the smallest aligned request that needs no read-modify-write; a power of two, at least 512. */
  int preferredBlockBytes();

  /** Size of the longest {@link Buffer}, and therefore of the longest read or write; the caller splits longer client requests. */
  int maxRequestBytes();

  /**
   * Borrows a registered buffer of exactly {@code lengthBytes}, 1 to {@link #maxRequestBytes()}. Returns null if the
   * pool has none now. Then {@code whenAvailable} runs once, later, on any thread, in the order of the failed calls. It
   * must not block. After it has run, the caller must try again, and release the buffer if it no longer needs it, because that wakes the next
   * waiting caller. If {@code whenAvailable} is null, the caller does not wait.
   */
  Buffer tryAcquire(int lengthBytes, Runnable whenAvailable);

  /**
   * Returns one consumer's share of the buffers. It guarantees enough memory for one request of any length, however long other consumers keep their
   * buffers. Beyond that, it uses the common pool, as {@link #tryAcquire} does. Returns null if all shares are in use. The default reserves no memory.
   */
  default Share share() {
    return this::tryAcquire;
  }

  /** Fills {@code into} from {@code offset}. The buffer belongs to the device until {@code completion} runs. */
  void read(long offset, Buffer into, Completion completion);

  /** Stores {@code from} at {@code offset}; with {@code fua} it completes only when the data is as safe as after a flush. */
  void write(long offset, Buffer from, boolean fua, Completion completion);

  /**
   * Completes when all writes that completed before this call are as safe as the device can make them. Completes with an error if some of that data is
   * lost and no flush has reported the loss yet.
   */
  void flush(Completion completion);

  /** Returns a {@link #flush} for one consumer, which reports each loss to it even if another consumer's flush has already reported the loss. */
  default Flusher flusher() {
    return this::flush;
  }

  /** Whether completed writes are already as safe as after a flush, so that FUA has no further effect. */
  default boolean isSafeWhenComplete() {
    return false;
  }

  /** Reports that the range is no longer needed; its contents are undefined afterwards. */
  void trim(long offset, long length, Completion completion);

  /** Fills the range with zeroes; with {@code mayTrim} it may become a hole. */
  void writeZeroes(long offset, long length, boolean mayTrim, Completion completion);

  /** Whether {@link #writeZeroes} on this range is faster than writing the zeroes through buffers. Cheap. */
  default boolean zeroesFast(long offset, long length, boolean mayTrim) {
    return mayTrim;
  }

  /** Gives the device a hint that the range will be read soon. */
  void cache(long offset, long length, Completion completion);

  /** Reports the range in ascending, adjacent extents, then completes. One thread at a time calls the sink. */
  void blockStatus(long offset, long length, ExtentSink sink, Completion completion);

  /**
   * Returns what is known, without a transfer, about the run that starts at {@code offset}: {@code n} in 1..length if the
   * next n bytes must be read, {@code -n} if the next n bytes are known to be zero. Cheap. The default knows of no zeroes.
   */
  default long runAt(long offset, long length) {
    return length;
  }

  /**
   * Lets the calling thread run the device's own work (for a fabric device: its hardware actors) until {@code until} holds or
   * {@code maxNs} have passed. Returns whether {@code until} holds. The default has no work and returns false at once.
   */
  default boolean help(BooleanSupplier until, long maxNs) {
    return false;
  }

  /**
   * Starts a scope in which the calling thread's requests need not wake the device's own thread, because the caller promises to
   * {@link #help} before it closes the scope. The same thread must close it, before it sleeps. The default does nothing.
   */
  default Promise promiseHelp() {
    return Promise.NONE;
  }

  /** A scope of {@link #promiseHelp}. */
  @FunctionalInterface
  interface Promise extends AutoCloseable {
    Promise NONE = () -> {};

    @Override
    void close();
  }

  /** Borrowed registered memory. It has one owner at a time: the borrower, or the device while a request is in flight. */
  interface Buffer {
    /** Native memory of exactly the requested length. */
    MemorySegment segment();

    /** Returns the buffer to the device; call it exactly once. Any thread. */
    void release();
  }

  /** One consumer's source of buffers; see {@link #share}. Close it after all its buffers are released. */
  @FunctionalInterface
  interface Share extends AutoCloseable {
    /** Like {@link BlockDevice#tryAcquire}. One caller at a time, which calls again only after it got a buffer or {@code whenAvailable} has run. */
    Buffer tryAcquire(int lengthBytes, Runnable whenAvailable);

    @Override
    default void close() {}
  }

  /** The flush of one consumer; see {@link #flusher}. */
  @FunctionalInterface
  interface Flusher {
    void flush(Completion completion);
  }

  /** Called at the end of one request. */
  @FunctionalInterface
  interface Completion {
    /** {@link Errno#OK} or another constant of {@link Errno}. */
    void done(int errno);
  }

  /** Receives block status. */
  @FunctionalInterface
  interface ExtentSink {
    /**
     * Receives one extent; {@code length} is at least 1.
     *
     * @return whether the sink wants further extents; after false the device completes the request
     */
    boolean extent(long offset, long length, boolean allocated, boolean zero);
  }
}

package dev.weft.pager;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * An asynchronous block device. Any thread may call it; completions run inline, on the hardware thread or on any other
 * thread, must not block, and run exactly once for every request that was accepted, also while the device closes.
 * Offsets and lengths are bytes, any alignment, and the caller has checked that they lie inside the device. A read that
 * starts after a write completed sees that write; requests in flight together are not ordered.
 */
public interface BlockDevice {
  /** Size in bytes; constant. */
  long sizeBytes();

  /** Smallest aligned request that costs no read-modify-write; a power of two from 512. */
  int preferredBlockBytes();

  /** Longest {@link Buffer}, and therefore longest read or write; longer client requests are split by the caller. */
  int maxRequestBytes();

  /**
   * Borrows a registered buffer of exactly {@code lengthBytes}, 1 to {@link #maxRequestBytes()}. Returns null when the
   * pool has none now; then {@code whenAvailable} runs once, later, on any thread, in the order of the refusals. It
   * must not block, and whoever was called back tries again: what it does not keep it releases, so the next one in line
   * is woken. With null for {@code whenAvailable} the refusal leaves nothing behind.
   */
  Buffer tryAcquire(int lengthBytes, Runnable whenAvailable);

  /**
   * A consumer's own way to buffers. What other consumers hold, for however long, leaves it enough for one request of any length; beyond
   * that it takes part in what is there for all, as with {@link #tryAcquire}. Returns null when as many consumers have one as can. The
   * default keeps nothing for anybody.
   */
  default Share share() {
    return this::tryAcquire;
  }

  /** Fills {@code into} from {@code offset}. The buffer belongs to the device until {@code completion} runs. */
  void read(long offset, Buffer into, Completion completion);

  /** Stores {@code from} at {@code offset}; with {@code fua} it completes only when the data is as safe as after flush. */
  void write(long offset, Buffer from, boolean fua, Completion completion);

  /**
   * Completes when every write completed before this call is as safe as the device can make it; with an error if some of it is lost,
   * of which no flush has told yet.
   */
  void flush(Completion completion);

  /** {@link #flush} for one more consumer, who is told of losses whether or not another consumer was. */
  default Flusher flusher() {
    return this::flush;
  }

  /** Whether what completed is as safe as after a flush already, so that FUA asks for nothing more. */
  default boolean isSafeWhenComplete() {
    return false;
  }

  /** The range is no longer needed; what it reads as afterwards is undefined. */
  void trim(long offset, long length, Completion completion);

  /** Makes the range read as zeroes; with {@code mayTrim} it may become a hole. */
  void writeZeroes(long offset, long length, boolean mayTrim, Completion completion);

  /** Whether {@link #writeZeroes} on this range is quicker than writing the zeroes through buffers. Cheap. */
  default boolean zeroesFast(long offset, long length, boolean mayTrim) {
    return mayTrim;
  }

  /** A hint that the range will be read soon. */
  void cache(long offset, long length, Completion completion);

  /** Reports the range in ascending, adjacent extents, then completes. The sink is called by one thread at a time. */
  void blockStatus(long offset, long length, ExtentSink sink, Completion completion);

  /**
   * What is known now, without any transfer, about the run that starts at {@code offset}: {@code n} in 1..length if the
   * next n bytes must be read, {@code -n} if the next n bytes are known to be zero. Cheap; the default knows nothing.
   */
  default long runAt(long offset, long length) {
    return length;
  }

  /**
   * Lets the calling thread run the device's own work (for a fabric device: its hardware) until {@code until} holds or
   * {@code maxNs} passed. Returns whether {@code until} holds. The default has no work to offer and returns false at once.
   */
  default boolean help(BooleanSupplier until, long maxNs) {
    return false;
  }

  /**
   * Starts a scope in which what the calling thread submits need not wake the device's own thread, because the caller promises to
   * {@link #help} before it closes the scope. The same thread closes it, before it sleeps. The default does nothing.
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

  /** Registered memory on loan. One owner at a time: the borrower, then the device while a request is in flight. */
  interface Buffer {
    /** Native memory, exactly as long as was asked for. */
    MemorySegment segment();

    /** Gives the buffer back; exactly once. Any thread. */
    void release();
  }

  /** Where one consumer gets its buffers; see {@link #share}. Closed when it has given all of them back. */
  @FunctionalInterface
  interface Share extends AutoCloseable {
    /** As {@link BlockDevice#tryAcquire}; one caller at a time, who asks again only when it got a buffer or was called back. */
    Buffer tryAcquire(int lengthBytes, Runnable whenAvailable);

    @Override
    default void close() {}
  }

  /** What one consumer of a device flushes with; see {@link #flusher}. */
  @FunctionalInterface
  interface Flusher {
    void flush(Completion completion);
  }

  /** The end of one request. */
  @FunctionalInterface
  interface Completion {
    /** {@link Errno#OK} or another constant of {@link Errno}. */
    void done(int errno);
  }

  /** Receives block status. */
  @FunctionalInterface
  interface ExtentSink {
    /**
     * One extent; {@code length} is at least 1.
     *
     * @return whether the sink wants more; after false the device completes without further extents
     */
    boolean extent(long offset, long length, boolean allocated, boolean zero);
  }
}

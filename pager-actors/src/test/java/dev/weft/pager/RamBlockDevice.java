package dev.weft.pager;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntUnaryOperator;

/** A sparse block device in local memory, with a bounded pool of buffers, for tests and for measuring front ends. */
public final class RamBlockDevice implements BlockDevice, AutoCloseable {
  private static final int PAGE_BYTES = 4096;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final AtomicLongArray allocated;
  private final int maxRequestBytes;
  private final int buffersMax;
  private final Executor executor;
  private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private final AtomicInteger borrowed = new AtomicInteger();
  private int borrowedPeak;
  private int made;
  /** Outcome of a command, given the NBD command number; 0 lets it through. */
  private volatile IntUnaryOperator fault = command -> 0;

  /**
   * @param buffersMax buffers in the pool
   * @param executor runs the requests and their completions; {@code Runnable::run} completes inline
   */
  public RamBlockDevice(long sizeBytes, int maxRequestBytes, int buffersMax, Executor executor) {
    this.memory = arena.allocate(Math.max(sizeBytes, 1), PAGE_BYTES);
    this.size = sizeBytes;
    this.allocated = new AtomicLongArray((int) (sizeBytes / PAGE_BYTES / 64 + 1));
    this.maxRequestBytes = maxRequestBytes;
    this.buffersMax = buffersMax;
    this.executor = executor;
  }

  private final long size;

  public RamBlockDevice(long sizeBytes) {
    this(sizeBytes, 130_048, 256, Runnable::run);
  }

  public void failWith(IntUnaryOperator errnoOfCommand) {
    fault = errnoOfCommand;
  }

  /** Buffers on loan now. */
  public int borrowedCount() {
    return borrowed.get();
  }

  public synchronized int borrowedPeak() {
    return borrowedPeak;
  }

  @Override
  public long sizeBytes() {
    return size;
  }

  @Override
  public int preferredBlockBytes() {
    return PAGE_BYTES;
  }

  @Override
  public int maxRequestBytes() {
    return maxRequestBytes;
  }

  @Override
  public synchronized Buffer tryAcquire(int lengthBytes, Runnable whenAvailable) {
    if (lengthBytes < 1 || lengthBytes > maxRequestBytes) {
      throw new IllegalArgumentException("buffer of " + lengthBytes + " bytes; must be from 1 to " + maxRequestBytes);
    }
    MemorySegment slab = free.poll();
    if (slab == null) {
      if (made == buffersMax) {
        if (whenAvailable != null) {
          waiting.add(whenAvailable);
        }
        return null;
      }
      made++;
      slab = arena.allocate(maxRequestBytes, 64);
    }
    borrowedPeak = Math.max(borrowedPeak, borrowed.incrementAndGet());
    return new RamBuffer(slab, lengthBytes);
  }

  private final class RamBuffer implements Buffer {
    private MemorySegment slab;
    private final MemorySegment segment;

    RamBuffer(MemorySegment slab, int length) {
      this.slab = slab;
      this.segment = slab.asSlice(0, length);
    }

    @Override
    public MemorySegment segment() {
      return segment;
    }

    @Override
    public void release() {
      Runnable next;
      synchronized (RamBlockDevice.this) {
        if (slab == null) {
          throw new IllegalStateException("a buffer was released twice");
        }
        free.push(slab);
        slab = null;
        borrowed.decrementAndGet();
        next = waiting.poll();
      }
      if (next != null) {
        next.run();
      }
    }
  }

  private void run(int command, Completion completion, Runnable action) {
    executor.execute(() -> {
      int errno = fault.applyAsInt(command);
      if (errno == 0) {
        action.run();
      }
      completion.done(errno);
    });
  }

  @Override
  public void read(long offset, Buffer into, Completion completion) {
    run(0, completion, () -> load(offset, into.segment()));
  }

  private void load(long offset, MemorySegment into) {
    long length = into.byteSize();
    for (long done = 0; done < length;) {
      long run = runAt(offset + done, length - done);
      if (run > 0) {
        MemorySegment.copy(memory, offset + done, into, done, run);
      } else {
        into.asSlice(done, -run).fill((byte) 0);
      }
      done += Math.abs(run);
    }
  }

  @Override
  public void write(long offset, Buffer from, boolean fua, Completion completion) {
    run(1, completion, () -> {
      allocate(offset, from.segment().byteSize());
      MemorySegment.copy(from.segment(), 0, memory, offset, from.segment().byteSize());
    });
  }

  private void allocate(long offset, long length) {
    for (long page = offset / PAGE_BYTES; page * PAGE_BYTES < offset + length; page++) {
      if (!isAllocated(page)) {
        synchronized (this) {
          if (!isAllocated(page)) {
            memory.asSlice(page * PAGE_BYTES, Math.min(PAGE_BYTES, memory.byteSize() - page * PAGE_BYTES)).fill((byte) 0);
            long bit = 1L << page;
            allocated.updateAndGet((int) (page >>> 6), bits -> bits | bit);
          }
        }
      }
    }
  }

  private boolean isAllocated(long page) {
    return (allocated.get((int) (page >>> 6)) & 1L << page) != 0;
  }

  @Override
  public void flush(Completion completion) {
    run(3, completion, () -> { });
  }

  @Override
  public void trim(long offset, long length, Completion completion) {
    run(4, completion, () -> zero(offset, length, true));
  }

  @Override
  public void writeZeroes(long offset, long length, boolean mayTrim, Completion completion) {
    run(6, completion, () -> zero(offset, length, mayTrim));
  }

  private void zero(long offset, long length, boolean mayTrim) {
    for (long at = offset; at < offset + length;) {
      long page = at / PAGE_BYTES;
      long end = Math.min((page + 1) * PAGE_BYTES, offset + length);
      boolean full = at % PAGE_BYTES == 0 && (end - at == PAGE_BYTES || end == size);
      if (full && mayTrim) {
        long bit = 1L << page;
        allocated.updateAndGet((int) (page >>> 6), bits -> bits & ~bit);
      } else if (!mayTrim || isAllocated(page)) {
        allocate(at, end - at);
        memory.asSlice(at, end - at).fill((byte) 0);
      }
      at = end;
    }
  }

  @Override
  public void cache(long offset, long length, Completion completion) {
    run(5, completion, () -> { });
  }

  @Override
  public void blockStatus(long offset, long length, ExtentSink sink, Completion completion) {
    run(7, completion, () -> {
      long at = offset;
      boolean more = true;
      while (more && at < offset + length) {
        long run = runAt(at, offset + length - at);
        more = sink.extent(at, Math.abs(run), run > 0, run < 0);
        at += Math.abs(run);
      }
    });
  }

  @Override
  public long runAt(long offset, long length) {
    long page = offset / PAGE_BYTES;
    boolean data = isAllocated(page);
    long end = (page + 1) * PAGE_BYTES;
    while (end < offset + length && isAllocated(++page) == data) {
      end += PAGE_BYTES;
    }
    long run = Math.min(end - offset, length);
    return data ? run : -run;
  }

  @Override
  public void close() {
    arena.close();
  }
}

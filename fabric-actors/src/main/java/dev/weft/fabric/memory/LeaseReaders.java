package dev.weft.fabric.memory;

import dev.weft.fabric.time.Pause;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processes that read the memory of an owner process at this moment. Each has a place in the owner's shared memory, after its leases. A
 * reader keeps its place as long as it is connected to the owner. Before the reader copies bytes, it writes the lease into its place, and
 * only then checks the lease. The owner changes the lease first, and only then checks the places. So either the reader sees that the bytes
 * were taken back, or the owner sees the reader and waits for it.
 *
 * <p>A place is two words of 8 bytes, alone in their cache lines. The first word names the reader ({@link SharedMemory#processValue}, 0 for
 * none). The second says what it reads: the lower half is the word of the lease plus 1, or 0 for nothing; the upper half is a number that
 * grows with each copy.
 */
final class LeaseReaders {
  static final int PLACES = 64;
  private static final long PLACE_BYTES = 128;
  static final long BYTES = PLACES * PLACE_BYTES;

  private static final Logger LOG = LoggerFactory.getLogger(LeaseReaders.class);
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final int SPINS = 1_000;
  /** With parks of 0.1 ms, one second. No copy takes that long, but a stopped reader would take forever. */
  private static final int PARKS = 10_000;
  private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final int CHECK_EVERY = 100;
  /** For each place, the copy for which this process stopped waiting. */
  private static final AtomicLongArray GIVEN_UP = new AtomicLongArray(PLACES);

  private final MemorySegment places;
  private final long owner;
  private final long reading;

  private LeaseReaders(MemorySegment places, int place) {
    this.places = places;
    owner = place * PLACE_BYTES;
    reading = owner + Long.BYTES;
  }

  // The reader's side.

  /** Takes a place among the readers of another process. Returns null if all places are taken. */
  static LeaseReaders enter(MemorySegment places) {
    for (int place = 0; place < PLACES; place++) {
      LeaseReaders mine = new LeaseReaders(places, place);
      long holder = (long) LONG.getVolatile(places, mine.owner);
      if ((holder == 0 || !isAlive(holder)) && LONG.compareAndSet(places, mine.owner, holder, SharedMemory.processValue())) {
        mine.end();
        return mine;
      }
    }
    return null;
  }

  /** Begins a copy. Until {@link #end}, the owner waits for this reader before it reuses memory that it lent under the lease. */
  void begin(int slot) {
    while (true) {
      long former = (long) LONG.getVolatile(places, reading);
      if ((int) former != 0) {
        Thread.onSpinWait(); // Another thread of this process copies.
      } else if (LONG.compareAndSet(places, reading, former, (former >>> 32) + 1 << 32 | slot + 1)) {
        return;
      }
    }
  }

  /** Ends a copy. */
  void end() {
    long now = (long) LONG.get(places, reading);
    LONG.setRelease(places, reading, now >>> 32 << 32);
  }

  /** Gives the place back for other processes. */
  void leave() {
    LONG.setVolatile(places, owner, 0L);
  }

  // The owner's side.

  /** Waits for all copies under the lease that began before this call. Does not wait for processes that have ended, and waits only a limited time. */
  static void await(MemorySegment places, int slot) {
    for (int place = 0; place < PLACES; place++) {
      LeaseReaders other = new LeaseReaders(places, place);
      long seen = (long) LONG.getVolatile(places, other.reading);
      if ((int) seen == slot + 1 && GIVEN_UP.get(place) != seen && !other.hasEnded(seen)) {
        GIVEN_UP.set(place, seen);
        LOG.warn("process {} is stopped while it copies bytes that this process takes back: it will find that they are lost",
            processId((long) LONG.getVolatile(places, other.owner)));
      }
    }
  }

  private boolean hasEnded(long seen) {
    for (int i = 0; i < SPINS + PARKS; i++) {
      if ((long) LONG.getVolatile(places, reading) != seen) {
        return true;
      }
      if (i < SPINS) {
        Thread.onSpinWait();
        continue;
      }
      if (i % CHECK_EVERY == 0 && !isAlive((long) LONG.getVolatile(places, owner))) {
        return true;
      }
      Pause.of(PARK_NS);
    }
    return false;
  }

  private static long processId(long processValue) {
    return processValue >>> SharedMemory.PROCESS_ID_SHIFT;
  }

  /** Whether the process with this value runs. A later process with the same number is a different one: it has another start time. */
  private static boolean isAlive(long processValue) {
    Optional<ProcessHandle> process = processValue == 0 ? Optional.empty() : ProcessHandle.of(processId(processValue));
    if (process.isEmpty() || !process.get().isAlive()) {
      return false;
    }
    Optional<Instant> started = process.get().info().startInstant();
    return started.isEmpty() || SharedMemory.processValue(process.get().pid(), started.get()) == processValue;
  }
}

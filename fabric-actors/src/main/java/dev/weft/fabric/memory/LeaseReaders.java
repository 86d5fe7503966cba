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
 * Who reads the memory of a process at this moment: places in shared memory of its owner, behind its leases. A reader takes a place for as
 * long as it knows the owner. Before it copies bytes it writes there under which lease, and looks at the lease after that; the owner changes
 * the lease first and looks at the places after that. So either the reader sees that the bytes were taken back, or the owner sees the reader
 * and waits for it.
 *
 * <p>A place is two words of 8 bytes, alone in their cache lines: who has it ({@link SharedMemory#processValue}, 0 for nobody), and what it
 * reads: in the lower half the word of the lease plus 1, or 0 for nothing, in the upper half a number that grows with each copy.
 */
final class LeaseReaders {
  static final int PLACES = 64;
  private static final long PLACE_BYTES = 128;
  static final long BYTES = PLACES * PLACE_BYTES;

  private static final Logger LOG = LoggerFactory.getLogger(LeaseReaders.class);
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final int SPINS = 1_000;
  /** With a park of a tenth of a millisecond each, a second: no copy takes so long, a reader that is stopped would take for ever. */
  private static final int PARKS = 10_000;
  private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final int CHECK_EVERY = 100;
  /** Of each place the copy that this process did not wait for any longer. */
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

  /** Takes a place among the readers of another process; null if all are taken. */
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

  /** From now on the owner waits for this reader before it gives away what is lent under that lease. */
  void begin(int slot) {
    while (true) {
      long former = (long) LONG.getVolatile(places, reading);
      if ((int) former != 0) {
        Thread.onSpinWait(); // Another thread of this process is copying.
      } else if (LONG.compareAndSet(places, reading, former, (former >>> 32) + 1 << 32 | slot + 1)) {
        return;
      }
    }
  }

  /** The copy is made. */
  void end() {
    long now = (long) LONG.get(places, reading);
    LONG.setRelease(places, reading, now >>> 32 << 32);
  }

  /** Gives the place to others. */
  void leave() {
    LONG.setVolatile(places, owner, 0L);
  }

  // The owner's side.

  /** Waits until nobody copies under that lease who began before this call; not for one that has ended, and not for ever. */
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

  /** Whether the process of that value runs; one that has its number now began at another time. */
  private static boolean isAlive(long processValue) {
    Optional<ProcessHandle> process = processValue == 0 ? Optional.empty() : ProcessHandle.of(processId(processValue));
    if (process.isEmpty() || !process.get().isAlive()) {
      return false;
    }
    Optional<Instant> started = process.get().info().startInstant();
    return started.isEmpty() || SharedMemory.processValue(process.get().pid(), started.get()) == processValue;
  }
}

package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scrubs of an object that is hardly there, in a directory. */
class ScrubTest {
  private static final long OBJECT = 7;
  private static final long BYTES = (1L << 43) + 5;
  private static final long FAR = 1L << 42;
  /** That one call may read. */
  private static final int MOST = 4 << 20;

  @TempDir private Path directory;
  private final DiskCounters counters = new DiskCounters();
  private LinuxDisk disk;
  private ObjectStore store;

  @BeforeEach
  void makeSparseObject() throws IOException {
    disk = new LinuxDisk(directory, 0, () -> { });
    store = new ObjectStore(disk, 1, 16, 64, counters, _ -> { });
    store.extend(OBJECT, BYTES);
    write(FAR + 100, 1000);
  }

  private void write(long offset, int bytes) {
    store.beginWrite(OBJECT);
    store.write(OBJECT, offset, Arena.ofAuto().allocate(bytes).fill((byte) 3));
    store.endWrite(OBJECT, offset + bytes, true);
  }

  /** Behind the store's back. */
  private Disk.File file() {
    return disk.open(OBJECT, Disk.Kind.DATA, false);
  }

  private void damage(long offset) {
    Disk.File file = file();
    file.write(offset, Arena.ofAuto().allocate(1).fill((byte) 4));
    file.close();
  }

  /** Bad blocks, by so many calls at most. */
  private long scrub(int callsMax) {
    long bad = 0;
    long at = 0;
    int calls = 0;
    do {
      Scrubbed scrubbed = store.scrub(OBJECT, at, MOST);
      assertTrue(scrubbed.next() == 0 || scrubbed.next() > at, "it goes on");
      assertTrue(++calls <= callsMax, "from " + at + " on there is more");
      bad += scrubbed.bad();
      at = scrubbed.next();
    } while (at != 0);
    return bad;
  }

  @Test
  void shouldReadWhatIsThereAndNoHoles() {
    long before = counters.bytesRead.get();
    assertEquals(0, scrub(1));
    assertTrue(counters.bytesRead.get() - before <= 2 * Sums.BLOCK_BYTES, counters.bytesRead::toString);
    store.sync(OBJECT);
    assertEquals(0, scrub(1));
  }

  @Test
  void shouldFindABadBlockBehindAHole() {
    store.sync(OBJECT);
    damage(FAR + 200);
    assertEquals(1, scrub(1));
    assertEquals(1, counters.checksumErrors.get());
    store.close();
    store = new ObjectStore(disk, 2, 16, 64, counters, _ -> { });
    assertEquals(1, scrub(1), "the next daemon finds it, too");
  }

  @Test
  void shouldFindDataThatIsGone() {
    write(BYTES - 5, 5);
    store.sync(OBJECT);
    Disk.File file = file();
    file.punch(FAR, Sums.BLOCK_BYTES);
    assertEquals(1, scrub(1), "there is a hole, and a checksum");
    file.truncate(FAR);
    file.truncate(BYTES);
    file.close();
    assertEquals(2, scrub(1));
  }

  @Test
  void shouldTakeAHoleThatWasReadForAsGoodAsItIs() {
    MemorySegment zeros = Arena.ofAuto().allocate(100L * Sums.BLOCK_BYTES);
    store.read(OBJECT, 0, zeros); // Its checksum is known from then on.
    store.read(OBJECT, FAR / 2, zeros);
    long before = counters.bytesRead.get();
    assertEquals(0, scrub(1));
    assertTrue(counters.bytesRead.get() - before <= 2 * Sums.BLOCK_BYTES, counters.bytesRead::toString);
  }

  @Test
  void shouldReadNoMoreAtATimeThanItMay() {
    write(FAR, 4 * MOST);
    long before = counters.bytesRead.get();
    Scrubbed first = store.scrub(OBJECT, 0, MOST);
    assertEquals(FAR + MOST, first.next());
    assertEquals(MOST, counters.bytesRead.get() - before);
    damage(FAR + MOST + 1);
    damage(FAR + 4 * MOST - 1);
    assertEquals(2, scrub(5));
  }
}

package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects on a disk that loses and tears what was not synced, beside arrays. {@code -Dweft.test.disk-seeds=N} runs more seeds. */
@Tag("slow")
@Timeout(300)
class ObjectStoreTest {
  private static final int SEEDS = Integer.getInteger("weft.test.disk-seeds", 40);
  private static final int STEPS = 60;
  private static final int BYTES_MAX = 5 * Sums.BLOCK_BYTES;

  /** What an object must have. */
  private static final class Expected {
    byte[] now = {};
    /** Bytes that may be anything: of writes that failed. */
    boolean[] open = new boolean[BYTES_MAX];
    /** As it was synced last; null if it never was. */
    byte[] synced;
    /** Changed since then. */
    boolean[] changed = new boolean[BYTES_MAX];
    boolean isLengthChanged;

    void change(int from, int to, boolean isOpen) {
      Arrays.fill(changed, from, to, true);
      Arrays.fill(open, from, to, isOpen);
    }
  }

  private final class Run {
    final Random random;
    final CrashDisk disk;
    final DiskCounters counters = new DiskCounters();
    final TreeMap<Long, Expected> objects = new TreeMap<>();
    ObjectStore store;
    int run;
    long next = 1;
    String where = "";

    Run(long seed) {
      random = new Random(seed);
      disk = new CrashDisk(random);
      start();
    }

    void start() {
      disk.syncAll();
      store = new ObjectStore(disk, ++run, 2, 3, counters, _ -> { });
    }

    void step(String at) {
      where = at;
      int what = random.nextInt(20);
      if (objects.size() < 3) {
        objects.put(next++, new Expected());
      }
      Long[] numbers = objects.keySet().toArray(Long[]::new);
      long number = numbers[random.nextInt(numbers.length)];
      Expected object = objects.get(number);
      switch (what) {
        case 0, 1, 2, 3, 4, 5, 6 -> write(number, object);
        case 7 -> truncate(number, object);
        case 8 -> punch(number, object);
        case 9, 10, 11 -> sync(number, object);
        case 12 -> remove(number);
        case 13 -> powerFailure();
        case 14 -> start(); // The process was killed: the kernel has all.
        case 15 -> {
          objects.forEach(this::check);
          store.close();
          objects.values().forEach(ObjectStoreTest.Run::synced);
          start();
        }
        default -> check(number, object);
      }
    }

    private static void synced(Expected object) {
      object.synced = object.now.clone();
      object.changed = new boolean[BYTES_MAX];
      object.isLengthChanged = false;
    }

    private void write(long number, Expected object) {
      int offset = random.nextInt(BYTES_MAX - 1);
      offset = random.nextInt(3) == 0 ? offset / Sums.BLOCK_BYTES * Sums.BLOCK_BYTES : offset;
      int bytes = Math.min(BYTES_MAX - offset, 1 + random.nextInt(random.nextBoolean() ? 1000 : 2 * Sums.BLOCK_BYTES));
      byte[] data = new byte[bytes];
      random.nextBytes(data);
      disk.writesToFailure = random.nextInt(8) == 0 ? random.nextInt(3) : -1;
      store.beginWrite(number);
      boolean isGood = true;
      try {
        store.write(number, offset, memory(data));
      } catch (DiskException full) {
        assertEquals(Errno.ENOSPC, full.errno, where);
        isGood = false;
      }
      disk.writesToFailure = -1;
      store.endWrite(number, offset + bytes, isGood);
      if (isGood) {
        object.isLengthChanged |= offset + bytes > object.now.length;
        object.now = Arrays.copyOf(object.now, Math.max(object.now.length, offset + bytes));
        System.arraycopy(data, 0, object.now, offset, bytes);
      }
      object.change(offset, offset + bytes, !isGood);
      if (!isGood) { // Nothing beyond the length is left of it.
        Arrays.fill(object.open, object.now.length, BYTES_MAX, false);
        object.isLengthChanged = true;
      }
    }

    private void truncate(long number, Expected object) {
      int bytes = random.nextInt(BYTES_MAX);
      store.truncate(number, bytes);
      object.change(Math.min(bytes, object.now.length), BYTES_MAX, false);
      object.now = Arrays.copyOf(object.now, bytes);
      object.isLengthChanged = true;
    }

    private void punch(long number, Expected object) {
      int offset = random.nextInt(BYTES_MAX);
      int end = Math.min(BYTES_MAX, offset + 1 + random.nextInt(3 * Sums.BLOCK_BYTES));
      store.punch(number, offset, end);
      if (offset < object.now.length) {
        int to = Math.min(end, object.now.length);
        Arrays.fill(object.now, offset, to, (byte) 0);
        object.change(offset, to, false);
      }
    }

    private void sync(long number, Expected object) {
      check(number, object);
      store.sync(number);
      if (store.bytes(number) > 0) {
        synced(object);
      }
    }

    private void remove(long number) {
      store.remove(number);
      objects.remove(number);
    }

    /** Every object can be read, to its length, and has what was synced and not changed since. */
    private void powerFailure() {
      disk.powerFailure();
      start();
      objects.values().removeIf(object -> object.synced == null);
      objects.forEach((number, object) -> {
        byte[] has = read(number, (int) store.bytes(number));
        byte[] synced = object.synced;
        assertTrue(object.isLengthChanged || has.length == synced.length, () -> where + ": object " + number + " has " + has.length + ", " + synced.length
            + " were synced");
        for (int i = 0; i < Math.min(has.length, synced.length); i++) {
          if (!object.changed[i] && has[i] != synced[i]) {
            throw new AssertionError(where + ": byte " + i + " of object " + number + " was synced, and is another one");
          }
        }
        object.now = has;
        object.open = new boolean[BYTES_MAX];
        object.synced = null;
        synced(object);
      });
    }

    private void check(long number, Expected object) {
      byte[] has = read(number, object.now.length);
      assertEquals(object.now.length, store.bytes(number), where);
      for (int i = 0; i < has.length; i++) {
        if (!object.open[i] && has[i] != object.now[i]) {
          throw new AssertionError(where + ": byte " + i + " of object " + number + " is another one");
        }
      }
      object.now = has;
      object.open = new boolean[BYTES_MAX];
      int from = random.nextInt(BYTES_MAX);
      byte[] part = readAt(number, from, Math.min(BYTES_MAX - from, 1 + random.nextInt(100_000)));
      byte[] wanted = from < has.length ? Arrays.copyOfRange(has, from, from + part.length) : new byte[part.length];
      assertArrayEquals(wanted, part, where);
    }

    private byte[] read(long number, int bytes) {
      return readAt(number, 0, bytes);
    }

    private byte[] readAt(long number, int from, int bytes) {
      MemorySegment to = Arena.ofAuto().allocate(Math.max(1, bytes)).asSlice(0, bytes).fill((byte) 0x55);
      try {
        store.read(number, from, to);
      } catch (DiskException bad) {
        throw new AssertionError(where + ": " + bad.getMessage(), bad);
      }
      return to.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private static MemorySegment memory(byte[] data) {
    MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, data.length)).asSlice(0, data.length);
    MemorySegment.copy(data, 0, memory, ValueLayout.JAVA_BYTE, 0, data.length);
    return memory;
  }

  @Test
  void shouldLoseNothingThatWasSyncedAndReadWhateverACrashLeft() {
    long first = Long.getLong("weft.test.disk-seed", ThreadLocalRandom.current().nextLong(1L << 40));
    for (long seed = first; seed < first + SEEDS; seed++) {
      Run run = new Run(seed);
      for (int step = 0; step < STEPS; step++) {
        run.step("seed " + seed + ", step " + step);
      }
      assertEquals(0, run.counters.checksumErrors.get(), "seed " + seed);
    }
  }

  private static ObjectStore store(CrashDisk disk, int run, DiskCounters counters) {
    return new ObjectStore(disk, run, 16, 64, counters, _ -> { });
  }

  private static void write(ObjectStore store, long object, long offset, int bytes) {
    byte[] data = new byte[bytes];
    new Random(offset).nextBytes(data);
    store.beginWrite(object);
    store.write(object, offset, memory(data));
    store.endWrite(object, offset + bytes, true);
  }

  @Test
  void shouldFindDamageToWhatWasSyncedAfterACrash() {
    CrashDisk disk = new CrashDisk(new Random(1));
    DiskCounters counters = new DiskCounters();
    ObjectStore store = store(disk, 1, counters);
    write(store, 1, 0, 4 * Sums.BLOCK_BYTES);
    store.sync(1);
    write(store, 1, 10, 100);
    disk.powerFailure();
    disk.flip(1, Sums.BLOCK_BYTES + 7);
    disk.flip(1, 1);
    ObjectStore again = store(disk, 2, counters);
    MemorySegment block = memory(new byte[Sums.BLOCK_BYTES]);
    again.read(1, 0, block); // It was being written: nobody knows what it must have.
    DiskException bad = assertThrows(DiskException.class, () -> again.read(1, Sums.BLOCK_BYTES, block));
    assertEquals(Errno.EIO, bad.errno);
    assertTrue(bad.getMessage().contains("block 1 of object 1"), bad.getMessage());
    again.read(1, 2 * Sums.BLOCK_BYTES, block);
    assertEquals(1, again.scrub(1, 0, Long.MAX_VALUE / 2).bad());
  }

  /** What touches a part of it only does not make it good. */
  @ParameterizedTest
  @ValueSource(strings = {"write", "cut", "punch"})
  void shouldNotTakeABadBlockForGoodAfterACrashBecauseItWasToBeChanged(String what) {
    CrashDisk disk = new CrashDisk(new Random(1));
    ObjectStore store = store(disk, 1, new DiskCounters());
    write(store, 1, 0, 4 * Sums.BLOCK_BYTES);
    store.sync(1);
    disk.flip(1, Sums.BLOCK_BYTES + 7);
    switch (what) {
      case "write" -> {
        store.beginWrite(1);
        assertThrows(DiskException.class, () -> store.write(1, Sums.BLOCK_BYTES + 100, memory(new byte[10])));
        store.endWrite(1, 0, false);
      }
      case "cut" -> store.truncate(1, Sums.BLOCK_BYTES + 100);
      default -> store.punch(1, Sums.BLOCK_BYTES + 100, Sums.BLOCK_BYTES + 110);
    }
    disk.syncAll();
    ObjectStore again = store(disk, 2, new DiskCounters());
    assertThrows(DiskException.class, () -> again.read(1, Sums.BLOCK_BYTES, memory(new byte[10])));
    again.read(1, 0, memory(new byte[Sums.BLOCK_BYTES]));
    write(again, 1, Sums.BLOCK_BYTES, Sums.BLOCK_BYTES); // Whole: nothing of it is left.
    again.read(1, Sums.BLOCK_BYTES, memory(new byte[10]));
  }

  /** Object 1 had three blocks, of which so many bytes are left; below 0 it is gone. Object 2 has 100 bytes. All was synced. */
  private static CrashDisk withLostData(int left) {
    CrashDisk disk = new CrashDisk(new Random(1));
    ObjectStore store = store(disk, 1, new DiskCounters());
    write(store, 1, 0, 3 * Sums.BLOCK_BYTES);
    write(store, 2, 0, 100);
    store.close();
    disk.syncAll();
    if (left < 0) {
      disk.remove(1, Disk.Kind.DATA);
    } else {
      disk.open(1, Disk.Kind.DATA, false).truncate(left);
    }
    return disk;
  }

  /** Somebody has removed it, or cut it: that it has none there is no reason to say that there are zeros. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, Sums.BLOCK_BYTES, 2 * Sums.BLOCK_BYTES})
  void shouldNotTakeDataThatIsLostForAHole(int left) {
    CrashDisk disk = withLostData(left);
    DiskCounters counters = new DiskCounters();
    ObjectStore again = store(disk, 2, counters);
    MemorySegment block = memory(new byte[Sums.BLOCK_BYTES]);
    for (Executable use : List.<Executable>of(() -> again.read(1, 2 * Sums.BLOCK_BYTES, block), () -> again.bytes(1), () -> again.beginWrite(1),
        () -> again.scrub(1, 0, 1000), () -> again.sync(1), () -> again.extend(1, 1 << 20))) {
      DiskException lost = assertThrows(DiskException.class, use);
      assertEquals(Errno.EIO, lost.errno);
      assertTrue(lost.getMessage().contains("data of object 1 is lost"), lost.getMessage());
    }
    assertEquals(6, counters.checksumErrors.get());
    again.read(2, 0, block);
    again.truncate(1, 0);
    write(again, 1, 10, 10);
    again.read(1, 0, block);
    assertEquals(20, again.bytes(1));
    again.close();
    ObjectStore third = store(disk, 3, counters);
    assertEquals(20, third.bytes(1));
    assertTrue(third.remove(1));
    assertEquals(0, third.bytes(1));
  }

  /** The manager asks for a cut until it is done, and who removes the file waits behind it. */
  @ParameterizedTest
  @CsvSource({"-1, 100", "-1, 1000000", "65536, 100", "65536, 65536", "65536, 70000", "65536, 1000000"})
  void shouldCutAnObjectWhoseDataIsLost(int left, int bytes) {
    CrashDisk disk = withLostData(left);
    for (int run = 2; run < 4; run++) {
      ObjectStore again = store(disk, run, new DiskCounters());
      if (run == 2) {
        again.truncate(1, bytes);
      }
      assertEquals(bytes, again.bytes(1));
      for (int block = 0; block < 4; block++) {
        long at = (long) block * Sums.BLOCK_BYTES;
        MemorySegment to = memory(new byte[10]);
        if (at < bytes && block < 3 && at >= left) {
          assertThrows(DiskException.class, () -> again.read(1, at, to), "block " + block + " was lost");
        } else {
          again.read(1, at, to);
        }
      }
      again.close();
      disk.syncAll();
    }
    ObjectStore last = store(disk, 4, new DiskCounters());
    last.truncate(1, 0);
    write(last, 1, 0, 10);
    last.read(1, 0, memory(new byte[10]));
  }

  @Test
  void shouldEndAScrubOfAFileThatIsCutMeanwhile() {
    CrashDisk disk = new CrashDisk(new Random(1));
    ObjectStore store = store(disk, 1, new DiskCounters());
    write(store, 1, 0, 5 * Sums.BLOCK_BYTES);
    store.sync(1);
    disk.open(1, Disk.Kind.DATA, false).truncate(100);
    assertEquals(new Scrubbed(5, 0), store.scrub(1, 0, 1L << 40));
    assertEquals(new Scrubbed(4, 0), store.scrub(1, Sums.BLOCK_BYTES, 1L << 40));
    assertThrows(DiskException.class, () -> store.read(1, Sums.BLOCK_BYTES, memory(new byte[10])));
  }

  /** Behind what the disk lets a file be: its checksum would lie behind that, too, and no sync would do. */
  @Test
  void shouldWriteNothingDownOfAWriteThatWasRefused() {
    CrashDisk disk = new CrashDisk(new Random(1));
    ObjectStore store = store(disk, 1, new DiskCounters());
    write(store, 1, 0, 100);
    disk.writesToFailure = 0;
    store.beginWrite(1);
    assertThrows(DiskException.class, () -> store.write(1, 1L << 60, memory(new byte[10])));
    store.endWrite(1, 0, false);
    disk.writesToFailure = -1;
    store.sync(1);
    disk.powerFailure();
    Disk.File sums = disk.open(1, Disk.Kind.SUMS, false);
    assertTrue(sums.bytes() <= Sums.PAGE_BYTES, "has " + sums.bytes() + " bytes");
  }

  @Test
  void shouldFindDamageToWhatWasNotSyncedYetWhileTheDaemonRuns() {
    CrashDisk disk = new CrashDisk(new Random(1));
    ObjectStore store = store(disk, 1, new DiskCounters());
    write(store, 1, 100, 1000);
    disk.flip(1, 500);
    assertThrows(DiskException.class, () -> store.read(1, 0, memory(new byte[10])));
    assertEquals(1, store.scrub(1, 0, 10).bad());
  }

  @Test
  void shouldWaitForTheDiskOnceForWritesThatHaveComeTogether() {
    CrashDisk disk = new CrashDisk(new Random(1));
    DiskCounters counters = new DiskCounters();
    ObjectStore store = store(disk, 1, counters);
    write(store, 1, 0, 4 * Sums.BLOCK_BYTES);
    assertEquals(0, counters.marks.get(), "new blocks need no mark");
    store.sync(1);
    for (int block = 0; block < 4; block++) {
      store.mark(1, (long) block * Sums.BLOCK_BYTES, 10);
    }
    for (int block = 0; block < 4; block++) {
      write(store, 1, (long) block * Sums.BLOCK_BYTES, 10);
    }
    assertEquals(1, counters.marks.get());
    write(store, 1, 0, 10);
    assertEquals(1, counters.marks.get(), "it is marked until it is synced");
  }

  @Test
  void shouldKeepTheLengthWhenAWriteOfSeveralPartsFails() {
    CrashDisk disk = new CrashDisk(new Random(1));
    ObjectStore store = store(disk, 1, new DiskCounters());
    write(store, 1, 0, 100);
    store.beginWrite(1);
    store.write(1, 200_000, memory(new byte[1000]));
    assertEquals(100, store.bytes(1), "it is not over");
    store.beginWrite(1);
    store.write(1, 100, memory(new byte[50]));
    store.endWrite(1, 0, false);
    store.endWrite(1, 150, true);
    assertEquals(150, store.bytes(1));
    assertEquals(150, disk.open(1, Disk.Kind.DATA, false).bytes());
  }

  /** The kernel may have dropped what it had no room for: a second fsync would succeed, and the data would be gone. */
  @Test
  void shouldNotSayThatIsSyncedWhatOnceCouldNotBe() {
    CrashDisk disk = new CrashDisk(new Random(1));
    ObjectStore store = store(disk, 1, new DiskCounters());
    write(store, 1, 0, 100);
    disk.fails = true;
    assertEquals(Errno.ENOSPC, assertThrows(DiskException.class, () -> store.sync(1)).errno);
    disk.fails = false;
    assertEquals(Errno.EIO, assertThrows(DiskException.class, () -> store.sync(1)).errno);
  }

  @Test
  void shouldCutATailOfAFailedWriteLaterIfItCannotBeCutAtOnce() {
    CrashDisk disk = new CrashDisk(new Random(1));
    ObjectStore store = store(disk, 1, new DiskCounters());
    write(store, 1, 0, 100);
    store.beginWrite(1);
    store.write(1, 200_000, memory(new byte[1000]));
    disk.fails = true;
    assertThrows(DiskException.class, () -> store.endWrite(1, 0, false));
    disk.fails = false;
    write(store, 1, 0, 10);
    assertEquals(100, disk.open(1, Disk.Kind.DATA, false).bytes());
  }

  @Test
  void shouldListObjectsAndForgetThoseThatAreRemoved() {
    CrashDisk disk = new CrashDisk(new Random(1));
    ObjectStore store = store(disk, 1, new DiskCounters());
    write(store, 5, 0, 70_000);
    write(store, 6, 0, 1);
    store.sync(5);
    assertTrue(store.remove(5));
    assertEquals(0, store.bytes(5));
    ObjectPage page = new ObjectPage(1000);
    disk.list(0, page::offer);
    assertEquals(16, page.bytes().byteSize());
  }
}

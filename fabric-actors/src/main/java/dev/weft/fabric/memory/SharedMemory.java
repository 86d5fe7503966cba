package dev.weft.fabric.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Memory of this JVM that others of the same host and user can map, so that what they take out of it costs one copy and no system call.
 * Each piece is a file without a name in memory; which there are says a table at a fixed address, which peers read ({@link PeerMemory}).
 * Nothing is left behind by a process that ends, however it does. Any thread.
 *
 * <p>Table: word 0 identifies the process, word 1 is odd while the table changes, word 2 is the key of the {@link SharedLease}s, then
 * {@value #SEGMENTS_MAX} entries of key, address, length, inode and descriptor, each a word of 8 bytes. A key is a
 * place in the table and, above it, a number that is not used again.
 */
public final class SharedMemory {
  static final int SEGMENTS_MAX = 64;
  static final int ENTRY_WORDS = 5;
  static final int HEAD_WORDS = 3;

  static final int PROCESS_ID_SHIFT = 42;

  private static final int SLOT_BITS = 6;
  private static final long PAGE = 4096;
  /** Less is not worth a file. */
  private static final long BYTES_MIN = 16 * 1024;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final MemorySegment TABLE = Arena.global().allocate((HEAD_WORDS + (long) SEGMENTS_MAX * ENTRY_WORDS) * Long.BYTES, Long.BYTES);

  private static final Segment[] SLOTS = new Segment[SEGMENTS_MAX];
  private static final DirectMemoryLimit LIMIT = DirectMemoryLimit.ofThisProcess();
  private static int made;
  /** Pieces that are there or being made. */
  private static int places;
  /** Sorted by address. */
  private static volatile Segment[] segments = {};

  private record Segment(int key, long address, long length, int fd) {
    long end() {
      return address + length;
    }
  }

  static {
    ProcessHandle self = ProcessHandle.current();
    LONG.setVolatile(TABLE, 0L, processValue(self.pid(), self.info().startInstant().orElse(Instant.EPOCH)));
  }

  private SharedMemory() {}

  /** What identifies a process: its number, above {@value #PROCESS_ID_SHIFT} bits of when it started. */
  static long processValue(long processId, Instant started) {
    return processId << PROCESS_ID_SHIFT ^ started.toEpochMilli() | 1;
  }

  /** What identifies this process in its table. */
  public static long processValue() {
    return (long) LONG.getVolatile(TABLE, 0L);
  }

  /** Where the table is. */
  public static long tableAddress() {
    LONG.setVolatile(TABLE, 2L * Long.BYTES, (long) SharedLease.key());
    return TABLE.address();
  }

  /** Place of the table that a key belongs to. */
  static int slot(int key) {
    return key & SEGMENTS_MAX - 1;
  }

  /**
   * Zeroed memory of {@code arena}: shared where that can be had, ordinary otherwise (another system than Linux, no native access, less
   * than 16 KiB, more than the machine has available, {@value #SEGMENTS_MAX} pieces already). Large memory takes long: it is all touched.
   *
   * @param bytes more than 0
   * @param alignment a power of two
   * @throws OutOfMemoryError if what is shared and the JVM's direct memory would be more than -XX:MaxDirectMemorySize together
   */
  public static MemorySegment allocate(Arena arena, long bytes, long alignment) {
    Segment segment = LinuxMemory.isSupported() && bytes >= BYTES_MIN && bytes <= Long.MAX_VALUE - PAGE && alignment <= PAGE
        ? make((bytes + PAGE - 1) & -PAGE) : null;
    return segment == null ? arena.allocate(bytes, alignment) : adopt(segment, arena, bytes);
  }

  @SuppressWarnings("restricted") // the memory was mapped with at least this length
  private static MemorySegment adopt(Segment segment, Arena arena, long bytes) {
    try {
      return MemorySegment.ofAddress(segment.address).reinterpret(bytes, arena, freed -> free(segment));
    } catch (RuntimeException | Error e) { // The arena is closed, or another thread's.
      free(segment);
      throw e;
    }
  }

  /** Null if it cannot be had. */
  private static Segment make(long length) {
    LIMIT.take(length);
    Segment segment = null;
    try {
      segment = takePlace() ? fill(length) : null;
      return segment;
    } finally {
      if (segment == null) {
        LIMIT.give(length);
      }
    }
  }

  /** Makes the piece of a place that was taken; gives the place back and answers null if it cannot. It is what takes long: no lock is held. */
  private static Segment fill(long length) {
    int fd = -1;
    long address = -1;
    Segment segment = null;
    try {
      // The kernel would kill a process, perhaps this one, rather than refuse memory that it has not got.
      fd = length > AvailableMemory.bytes() ? -1 : LinuxMemory.create(length);
      address = fd < 0 ? -1 : LinuxMemory.map(fd, length);
      segment = address == -1 ? null : enter(address, length, fd, inode(Path.of("/proc/self/fd/" + fd)));
    } catch (IOException e) {
      segment = null; // Nobody could tell this file from another: ordinary memory does as well.
    } finally {
      if (segment == null) {
        discard(address, length, fd);
        givePlace();
      }
    }
    return segment;
  }

  private static synchronized boolean takePlace() {
    if (places == SEGMENTS_MAX) {
      return false;
    }
    places++;
    return true;
  }

  private static synchronized void givePlace() {
    places--;
  }

  private static void discard(long address, long length, int fd) {
    if (address != -1) {
      LinuxMemory.unmap(address, length);
    }
    if (fd >= 0) {
      LinuxMemory.close(fd);
    }
  }

  private static synchronized Segment enter(long address, long length, int fd, long inode) {
    int slot = 0;
    while (SLOTS[slot] != null) { // One is free: a place was taken.
      slot++;
    }
    Segment segment = new Segment(++made << SLOT_BITS | slot, address, length, fd);
    publish(slot, segment.key, address, length, inode, fd);
    SLOTS[slot] = segment;
    sort();
    return segment;
  }

  static long inode(Path descriptor) throws IOException {
    return (long) Files.getAttribute(descriptor, "unix:ino");
  }

  private static void free(Segment segment) {
    withdraw(segment);
    discard(segment.address, segment.length, segment.fd);
    LIMIT.give(segment.length);
  }

  private static synchronized void withdraw(Segment segment) {
    int slot = slot(segment.key);
    publish(slot, 0, 0, 0, 0, 0);
    SLOTS[slot] = null;
    places--;
    sort();
  }

  /** Bytes of all pieces. */
  static long sharedBytes() {
    return LIMIT.taken();
  }

  private static void publish(int slot, long... words) {
    LONG.getAndAdd(TABLE, (long) Long.BYTES, 1L);
    for (int i = 0; i < ENTRY_WORDS; i++) {
      LONG.setVolatile(TABLE, (HEAD_WORDS + (long) slot * ENTRY_WORDS + i) * Long.BYTES, words[i]);
    }
    LONG.getAndAdd(TABLE, (long) Long.BYTES, 1L);
  }

  private static void sort() {
    segments = Arrays.stream(SLOTS).filter(segment -> segment != null).sorted(Comparator.comparingLong(Segment::address)).toArray(Segment[]::new);
  }

  /** Key of the piece that holds all of a range; 0 if none does. */
  public static int keyOf(long address, long length) {
    Segment[] now = segments;
    int low = 0;
    int high = now.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Segment segment = now[middle];
      if (address < segment.address) {
        high = middle - 1;
      } else if (address >= segment.end()) {
        low = middle + 1;
      } else {
        return length <= segment.end() - address ? segment.key : 0;
      }
    }
    return 0;
  }
}

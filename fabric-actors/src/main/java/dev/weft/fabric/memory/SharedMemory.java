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
 * Memory of this JVM that other JVMs of the same host and user can map. Reading it then costs one copy and no system call. Each piece is an
 * unnamed file in memory. A table at a fixed address lists the pieces; peers read it ({@link PeerMemory}). Nothing is left over when the
 * process ends, in whatever way. Any thread.
 *
 * <p>Table, in words of 8 bytes: word 0 identifies the process, word 1 is odd while the table changes, word 2 is the key of the {@link
 * SharedLease}s. Then come {@value #SEGMENTS_MAX} entries of key, address, length, inode and descriptor. The lower bits of a key are a place
 * in the table; the upper bits are a number that is never used again.
 */
public final class SharedMemory {
  static final int SEGMENTS_MAX = 64;
  static final int ENTRY_WORDS = 5;
  static final int HEAD_WORDS = 3;

  static final int PROCESS_ID_SHIFT = 42;

  private static final int SLOT_BITS = 6;
  private static final long PAGE = 4096;
  /** A smaller piece is not worth a file. */
  private static final long BYTES_MIN = 16 * 1024;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final MemorySegment TABLE = Arena.global().allocate((HEAD_WORDS + (long) SEGMENTS_MAX * ENTRY_WORDS) * Long.BYTES, Long.BYTES);

  private static final Segment[] SLOTS = new Segment[SEGMENTS_MAX];
  private static final DirectMemoryLimit LIMIT = DirectMemoryLimit.ofThisProcess();
  private static int made;
  /** Pieces that exist or are being made. */
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

  /** Returns the value that identifies a process: its number, shifted by {@value #PROCESS_ID_SHIFT} bits, combined with its start time. */
  static long processValue(long processId, Instant started) {
    return processId << PROCESS_ID_SHIFT ^ started.toEpochMilli() | 1;
  }

  /** Returns the value that identifies this process in its table. */
  public static long processValue() {
    return (long) LONG.getVolatile(TABLE, 0L);
  }

  /** Returns the address of the table in this process. */
  public static long tableAddress() {
    LONG.setVolatile(TABLE, 2L * Long.BYTES, (long) SharedLease.key());
    return TABLE.address();
  }

  /** Returns the place in the table of a key. */
  static int slot(int key) {
    return key & SEGMENTS_MAX - 1;
  }

  /**
   * Allocates zeroed memory that belongs to {@code arena}. It is shared memory if possible. It is ordinary memory on systems other than
   * Linux, without native access, for less than 16 KiB, for more than the machine has available, and if there are {@value #SEGMENTS_MAX}
   * pieces already. Large memory takes long, because all its pages are touched.
   *
   * @param bytes more than 0
   * @param alignment a power of two
   * @throws OutOfMemoryError if shared and direct memory together would exceed -XX:MaxDirectMemorySize
   */
  public static MemorySegment allocate(Arena arena, long bytes, long alignment) {
    Segment segment = LinuxMemory.isSupported() && bytes >= BYTES_MIN && bytes <= Long.MAX_VALUE - PAGE && alignment <= PAGE
        ? make((bytes + PAGE - 1) & -PAGE) : null;
    return segment == null ? arena.allocate(bytes, alignment) : adopt(segment, arena, bytes);
  }

  @SuppressWarnings("restricted") // The memory was mapped with at least this length.
  private static MemorySegment adopt(Segment segment, Arena arena, long bytes) {
    try {
      return MemorySegment.ofAddress(segment.address).reinterpret(bytes, arena, freed -> free(segment));
    } catch (RuntimeException | Error e) { // The arena is closed, or belongs to another thread.
      free(segment);
      throw e;
    }
  }

  /** Returns null if shared memory cannot be made. */
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

  /** Makes the piece for a place that was taken. If that fails, gives the place back and returns null. Holds no lock, because it takes long. */
  private static Segment fill(long length) {
    int fd = -1;
    long address = -1;
    Segment segment = null;
    try {
      // If memory is short, the kernel does not reject the call; it would later kill a process, perhaps this one.
      fd = length > AvailableMemory.bytes() ? -1 : LinuxMemory.create(length);
      address = fd < 0 ? -1 : LinuxMemory.map(fd, length);
      segment = address == -1 ? null : enter(address, length, fd, inode(Path.of("/proc/self/fd/" + fd)));
    } catch (IOException e) {
      segment = null; // Without its inode, peers cannot identify the file. The caller takes ordinary memory.
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
    while (SLOTS[slot] != null) { // A slot is free, because the caller has taken a place.
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

  /** Returns the bytes of all pieces. */
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

  /** Returns the key of the piece that contains the whole range; 0 if none does. */
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

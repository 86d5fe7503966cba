package dev.weft.pvfs.wire;

import dev.weft.pvfs.layout.Striping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A request to an I/O daemon. The object is filled, encoded and reused. File ranges are ranges of the daemon's local object and know nothing of
 * striping. A shape describes the whole file and includes its striping.
 *
 * <pre>
 *  0 version   1 operation   2 band   3 ranges of the object   4 ranges of memory   5 fast slot for the reply   6 flags: 1 checked, 2 shaped   8 id   16 object
 * 24 capability, 44 bytes, zeros for none
 * 68 time of the write, 8, nanoseconds since 1970; 0 if the request does not change the file's content
 * 76 ranges of the object: offset 8, bytes 4; of PUNCH two for each hole, its begin and its end, of 0 bytes each;  then ranges of memory: address 8,
 *    bytes 4, rkey 4;  or, in place of both, a shape as in ShapedRanges;
 *    then for a checked write the checksum of its data, 4;  then the data of an inline or fast write
 * </pre>
 */
public final class DaemonRequest {
  /**
   * 3: changes of the name space have slots, data have checksums and shapes. 4: SCRUB skips holes and returns where to continue. 5: holes of any
   * length. 6: devices, capabilities of callers, values in parts, times of writes.
   */
  public static final byte VERSION = 6;
  private static final int HEAD_BYTES = 24 + CapabilityKey.ENCODED_BYTES + Long.BYTES;
  private static final int CAPABILITY_AT = 24;
  private static final int TIME_AT = CAPABILITY_AT + CapabilityKey.ENCODED_BYTES;
  private static final byte DONE_CODE = 127;
  private static final int CHECKED = 1;
  private static final int SHAPED = 2;
  /** Maximum ranges of the object, and of memory, in one request (the 64 of list I/O). */
  public static final int RANGES_MAX = 64;
  /** Longest request without data. */
  public static final int BYTES_MAX = HEAD_BYTES + Math.max(RANGES_MAX * (12 + 16), ShapedRanges.BYTES_MAX) + Integer.BYTES;
  /** Maximum data of one request. */
  public static final int DATA_BYTES_MAX = 1 << 30;
  /** No fast slot. */
  public static final int NO_SLOT = 255;

  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  public DaemonOp op = DaemonOp.STAT;
  public Band band = Band.INLINE;
  /** Slot of the client's lent buffers for the reply of a fast read; otherwise {@link #NO_SLOT}. */
  public int replySlot = NO_SLOT;
  /** The client chooses it, and the reply repeats it. A repeated request keeps its id and comes before newer ones. */
  public long id;
  /** The file's inode number. */
  public long object;
  /** The manager's capability for the object, as {@link CapabilityKey} writes it; zeros for none. */
  public final byte[] capability = new byte[CapabilityKey.ENCODED_BYTES];
  /** When the client changed the content, in nanoseconds since 1970; 0 for no change. A repeated request keeps its time. */
  public long wroteNs;
  /** For READ and WRITE: the data has a checksum; for a read, the answer must bring it. */
  public boolean isChecked;
  /** Checksum of a checked write's data; see {@link DataSum}. */
  public int sum;
  /** The shape that is written in place of {@link #file} and {@link #memory}; the reader computes both from it. Null without a shape. */
  public ShapedRanges shaped;
  /** Ranges of the local object: at most {@link #RANGES_MAX}, or of a shape {@link ShapedRanges#PIECES_MAX}. */
  public final Ranges file = new Ranges(ShapedRanges.PIECES_MAX);
  /** Ranges of the client's memory, for {@link Band#SERVER} and {@link Band#CLIENT}: as many bytes as {@link #file}, in the same order. */
  public final Ranges memory = new Ranges(ShapedRanges.PIECES_MAX);

  /** Resets all fields. */
  public void clear() {
    op = DaemonOp.STAT;
    band = Band.INLINE;
    replySlot = NO_SLOT;
    id = 0;
    object = 0;
    wroteNs = 0;
    isChecked = false;
    sum = 0;
    shaped = null;
    Arrays.fill(capability, (byte) 0);
    file.clear();
    memory.clear();
  }

  /**
   * Adds a hole to the ranges of a PUNCH, which are the two ends of each hole. Returns false and changes nothing if the hole must go into another
   * request.
   *
   * @param from beginning in the local object, behind the end of the previous hole
   */
  public static boolean addHole(Ranges file, long from, long end) {
    int count = file.count();
    return count + 2 <= RANGES_MAX && (count == 0 || file.offset(count - 1) < from) && file.add(from, 0) && file.add(end, 0);
  }

  /** For PUNCH: the number of holes. */
  public int holes() {
    return file.count() / 2;
  }

  /** For PUNCH: where a hole begins in the local object. */
  public long holeFrom(int hole) {
    return file.offset(2 * hole);
  }

  /** For PUNCH: where a hole ends in the local object. */
  public long holeEnd(int hole) {
    return file.offset(2 * hole + 1);
  }

  private boolean hasSum() {
    return isChecked && op == DaemonOp.WRITE;
  }

  /** Writes the request without data; returns its length. */
  public int encode(MemorySegment to, long at) {
    to.set(ValueLayout.JAVA_BYTE, at, VERSION);
    to.set(ValueLayout.JAVA_BYTE, at + 1, (byte) op.ordinal());
    to.set(ValueLayout.JAVA_BYTE, at + 2, (byte) band.ordinal());
    to.set(ValueLayout.JAVA_BYTE, at + 3, (byte) (shaped == null ? file.count() : 0));
    to.set(ValueLayout.JAVA_BYTE, at + 4, (byte) (shaped == null ? memory.count() : 0));
    to.set(ValueLayout.JAVA_BYTE, at + 5, (byte) replySlot);
    to.set(ValueLayout.JAVA_BYTE, at + 6, (byte) ((isChecked ? CHECKED : 0) | (shaped == null ? 0 : SHAPED)));
    to.set(ValueLayout.JAVA_BYTE, at + 7, (byte) 0);
    to.set(LONG, at + 8, id);
    to.set(LONG, at + 16, object);
    MemorySegment.copy(capability, 0, to, ValueLayout.JAVA_BYTE, at + CAPABILITY_AT, capability.length);
    to.set(LONG, at + TIME_AT, wroteNs);
    long next = at + HEAD_BYTES;
    if (shaped == null) {
      next = encodeRanges(to, next);
    } else {
      next += shaped.encode(to, next);
    }
    if (hasSum()) {
      to.set(INT, next, sum);
      next += Integer.BYTES;
    }
    return (int) (next - at);
  }

  private long encodeRanges(MemorySegment to, long at) {
    long next = at;
    for (int i = 0; i < file.count(); i++, next += 12) {
      to.set(LONG, next, file.offset(i));
      to.set(INT, next + 8, file.bytes(i));
    }
    for (int i = 0; i < memory.count(); i++, next += 16) {
      to.set(LONG, next, memory.offset(i));
      to.set(INT, next + 8, memory.bytes(i));
      to.set(INT, next + 12, memory.key(i));
    }
    return next;
  }

  /**
   * Writes the control message by which a client returns a buffer that it was lent for a request; returns its length. It has the head of a request
   * with a special operation code.
   */
  public static int encodeDone(MemorySegment to, long at, long id) {
    to.asSlice(at, HEAD_BYTES).fill((byte) 0);
    to.set(ValueLayout.JAVA_BYTE, at, VERSION);
    to.set(ValueLayout.JAVA_BYTE, at + 1, DONE_CODE);
    to.set(LONG, at + 8, id);
    return HEAD_BYTES;
  }

  /** Whether a message is one of {@link #encodeDone}. */
  public static boolean isDone(MemorySegment from, long at, int length) {
    return length == HEAD_BYTES && from.get(ValueLayout.JAVA_BYTE, at) == VERSION && from.get(ValueLayout.JAVA_BYTE, at + 1) == DONE_CODE;
  }

  /** Returns the id of the request that the message ends. */
  public static long doneId(MemorySegment from, long at) {
    return from.get(LONG, at + 8);
  }

  /**
   * Reads a request; its data follows.
   *
   * @return its length, or -1 if it is invalid, and {@link #problem} says why
   */
  public int decode(MemorySegment from, long at, int length) {
    clear();
    // Read each only once: the client may change a lent buffer meanwhile.
    int files = length < HEAD_BYTES ? 0 : from.get(ValueLayout.JAVA_BYTE, at + 3) & 0xff;
    int memories = length < HEAD_BYTES ? 0 : from.get(ValueLayout.JAVA_BYTE, at + 4) & 0xff;
    problem = headProblem(from, at, length, files, memories);
    if (problem != null) {
      return -1;
    }
    replySlot = from.get(ValueLayout.JAVA_BYTE, at + 5) & 0xff;
    id = from.get(LONG, at + 8);
    object = from.get(LONG, at + 16);
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at + CAPABILITY_AT, capability, 0, capability.length);
    wroteNs = from.get(LONG, at + TIME_AT);
    long next = at + HEAD_BYTES;
    if (isShaped) {
      problem = decodeShape(from, next, length - HEAD_BYTES - (hasSum() ? Integer.BYTES : 0));
      if (problem != null) {
        return -1;
      }
      next += shaped.encodedBytes();
    }
    for (int i = 0; i < files; i++, next += 12) {
      file.add(from.get(LONG, next), from.get(INT, next + 8), 0);
    }
    for (int i = 0; i < memories; i++, next += 16) {
      memory.add(from.get(LONG, next), from.get(INT, next + 8), from.get(INT, next + 12));
    }
    if (hasSum()) {
      sum = from.get(INT, next);
      next += Integer.BYTES;
    }
    int bytes = (int) (next - at);
    problem = rangesProblem(length - bytes);
    return problem == null ? bytes : -1;
  }

  /** Reads the shape; returns the reason if it is invalid, otherwise null. */
  private String decodeShape(MemorySegment from, long at, int length) {
    try {
      shaped = ShapedRanges.decode(from, at, length);
      shaped.expand(file, band.hasDataBehind() ? null : memory);
      return null;
    } catch (IllegalArgumentException wrong) {
      return wrong.getMessage();
    }
  }

  /** Returns why {@link #decode} rejected the last message; null if it did not. */
  public String problem() {
    return problem;
  }

  private String problem;
  private boolean isShaped;

  private String headProblem(MemorySegment from, long at, int length, int files, int memories) {
    if (length < HEAD_BYTES) {
      return "a request of " + length + " bytes, the shortest has " + HEAD_BYTES;
    }
    byte version = from.get(ValueLayout.JAVA_BYTE, at);
    if (version != VERSION) {
      return "version " + version + " of the protocol, this daemon has " + VERSION;
    }
    byte opCode = from.get(ValueLayout.JAVA_BYTE, at + 1);
    byte bandCode = from.get(ValueLayout.JAVA_BYTE, at + 2);
    op = DaemonOp.of(opCode);
    band = Band.of(bandCode);
    if (op == null || band == null) {
      return "operation " + opCode + " by band " + bandCode + ", which there is not";
    }
    int flags = from.get(ValueLayout.JAVA_BYTE, at + 6);
    isChecked = (flags & CHECKED) != 0;
    isShaped = (flags & SHAPED) != 0;
    if (isShaped && (files + memories > 0 || op != DaemonOp.READ && op != DaemonOp.WRITE)) {
      return "a shape for " + op + " with " + files + " and " + memories + " ranges, is for READ and WRITE and in their place";
    }
    if (files > RANGES_MAX || memories > RANGES_MAX || length < HEAD_BYTES + files * 12 + memories * 16 + (hasSum() ? Integer.BYTES : 0)) {
      return "a request of " + length + " bytes with " + files + " and " + memories + " ranges, of which it may have " + RANGES_MAX + " each";
    }
    return null;
  }

  private String rangesProblem(int dataBytes) {
    boolean isPlaces = op == DaemonOp.TRUNCATE || op == DaemonOp.EXTEND || op == DaemonOp.PUNCH;
    for (int i = 0; i < file.count(); i++) {
      long offset = file.offset(i);
      if (offset < 0 || file.bytes(i) < (isPlaces ? 0 : 1) || offset > Striping.FILE_BYTES_MAX - file.bytes(i)) {
        return "a range of " + file.bytes(i) + " bytes from " + offset;
      }
    }
    if (op == DaemonOp.PUNCH && !hasHoles()) {
      return "holes " + file + ", must be where each begins and where it ends, one behind the other";
    }
    for (int i = 0; i < memory.count(); i++) {
      if (memory.bytes(i) <= 0) {
        return "a range of " + memory.bytes(i) + " bytes of memory";
      }
    }
    boolean moves = op == DaemonOp.READ || op == DaemonOp.WRITE;
    if (moves && file.totalBytes() > DATA_BYTES_MAX) {
      return "a request for " + file.totalBytes() + " bytes, the most is " + DATA_BYTES_MAX;
    }
    if (moves && !band.hasDataBehind() && memory.totalBytes() != file.totalBytes()) {
      return memory.totalBytes() + " bytes of memory for " + file.totalBytes() + " of the object";
    }
    long wanted = op == DaemonOp.WRITE && band.hasDataBehind() ? file.totalBytes() : 0;
    return dataBytes == wanted ? null : "a request with " + dataBytes + " bytes of data where it says " + wanted;
  }

  private boolean hasHoles() {
    boolean ascends = file.count() % 2 == 0 && file.totalBytes() == 0;
    for (int i = 1; i < file.count(); i++) {
      ascends &= file.offset(i - 1) < file.offset(i);
    }
    return ascends;
  }
}

package dev.weft.dsm;

import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * An array of records in shared memory, whose fields a {@link StructLayout} describes. A view such as {@link #longField} reads and writes one field,
 * sequentially consistent as single elements of arrays are. Whole records are copied to and from a segment, which the layout's own {@code VarHandle}s
 * read and write. Any thread. An index outside of the array causes an {@link IndexOutOfBoundsException}.
 *
 * <p>Records lie in words of 8 bytes one after the other, as in an array of structures in C. With {@link SharingUnit#elements} a minipage has that
 * number of records. All nodes must ask with the same layout: its bytes are compared, its fields are not.
 *
 * <p>Cost: as of the {@link SharedLongs} that hold the records. A write of a field of 4 bytes is a read and a compare-and-set of its word. Errors as
 * there.
 */
public final class SharedRecords {
  private static final int WORD = Long.BYTES;

  private final SharedLongs words;
  private final StructLayout layout;
  private final int perRecord;
  private final long length;

  private SharedRecords(SharedLongs words, StructLayout layout) {
    this.words = words;
    this.layout = layout;
    this.perRecord = wordsOf(layout);
    this.length = words.length() / perRecord;
  }

  /** Implements {@link SharedSpace#records} on the words of any implementation of {@code space}. */
  static SharedRecords in(SharedSpace space, String name, long length, StructLayout layout, SharingUnit unit, Consistency consistency) {
    int perRecord = wordsOf(Objects.requireNonNull(layout, "layout"));
    Objects.requireNonNull(unit, "unit");
    if (length < 1 || length > Long.MAX_VALUE / WORD / perRecord) {
      throw new IllegalArgumentException("\"" + name + "\" of " + length + " records, must be from 1 to " + Long.MAX_VALUE / WORD / perRecord);
    }
    try {
      return new SharedRecords(space.longs(name, length * perRecord, inWords(unit, perRecord), consistency), layout);
    } catch (OtherShapeException other) {
      throw inRecords(name, length, perRecord, other);
    }
  }

  /** Rewrites the message in records: the caller counts in records, but the underlying array counts in words of 8 bytes. */
  private static OtherShapeException inRecords(String name, long length, int perRecord, OtherShapeException other) {
    long bytes = (long) perRecord * WORD;
    String records = other.longs() < 0 || other.longs() % perRecord != 0 ? "no array of records of " + bytes + " bytes"
        : other.longs() / perRecord + " records of " + bytes + " bytes";
    return new OtherShapeException("\"" + name + "\" is " + records + ", and was asked for as " + length + " records of " + bytes + " bytes; in words, "
        + other.getMessage(), other.longs());
  }

  private static SharingUnit inWords(SharingUnit unit, int perRecord) {
    if (unit.kind() != SharingUnit.Kind.ELEMENTS) {
      return unit;
    }
    if (unit.count() > Long.MAX_VALUE / WORD / perRecord) {
      throw new IllegalArgumentException("a minipage of " + unit.count() + " records, must be at most " + Long.MAX_VALUE / WORD / perRecord);
    }
    return SharingUnit.elements(unit.count() * perRecord);
  }

  private static int wordsOf(StructLayout layout) {
    long bytes = layout.byteSize();
    if (bytes < WORD || bytes % WORD != 0 || bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("records of " + bytes + " bytes, must be a multiple of " + WORD + ", from " + WORD + " to " + Integer.MAX_VALUE
          + (bytes % WORD == 0 ? "" : ": end the layout with MemoryLayout.paddingLayout(" + (WORD - bytes % WORD) + ")"));
    }
    return Math.toIntExact(bytes / WORD);
  }

  /** Number of records. */
  public long length() {
    return length;
  }

  /** The layout of a record. */
  public StructLayout layout() {
    return layout;
  }

  /**
   * A field of the type {@code long}.
   *
   * @throws IllegalArgumentException if the layout has no such field, it has another type, or another byte order or alignment than this machine's
   */
  public LongField longField(String name) {
    return longField(PathElement.groupElement(Objects.requireNonNull(name, "name")));
  }

  /** The same for a path: a field of a structure in a structure, or an element of a sequence. */
  public LongField longField(PathElement... path) {
    return new LongField(this, wordOf(ValueLayout.JAVA_LONG, path));
  }

  /** A field of the type {@code double}, as {@link #longField(String)}. */
  public DoubleField doubleField(String name) {
    return doubleField(PathElement.groupElement(Objects.requireNonNull(name, "name")));
  }

  /** The same for a path. */
  public DoubleField doubleField(PathElement... path) {
    return new DoubleField(new LongField(this, wordOf(ValueLayout.JAVA_DOUBLE, path)));
  }

  /** A field of the type {@code int}, as {@link #longField(String)}. Arrays with {@link Consistency#RELEASE} refuse to write it. */
  public IntField intField(String name) {
    return intField(PathElement.groupElement(Objects.requireNonNull(name, "name")));
  }

  /** The same for a path. */
  public IntField intField(PathElement... path) {
    long at = offsetOf(ValueLayout.JAVA_INT, path);
    boolean isLow = at % WORD == 0 == (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
    return new IntField(new LongField(this, (int) (at / WORD)), isLow ? 0 : Integer.SIZE);
  }

  private int wordOf(ValueLayout wanted, PathElement... path) {
    return (int) (offsetOf(wanted, path) / WORD);
  }

  private long offsetOf(ValueLayout wanted, PathElement... path) {
    VarHandle field = layout.varHandle(path);
    long at = layout.byteOffset(path);
    if (field.varType() != wanted.carrier() || at % wanted.byteSize() != 0 || !isNative(field, wanted, at)) {
      throw new IllegalArgumentException("a field of type " + field.varType() + " at byte " + at + " of " + layout + ", must be " + wanted.carrier()
          + " in the byte order of this machine, at a multiple of " + wanted.byteSize());
    }
    return at;
  }

  /**
   * Whether the field at {@code at} has the byte order of this machine. The layout does not tell this for an element of a sequence, so a probe is
   * read.
   */
  private boolean isNative(VarHandle field, ValueLayout wanted, long at) {
    MemorySegment probe = MemorySegment.ofArray(new long[perRecord]);
    for (int i = 0; i < wanted.byteSize(); i++) {
      probe.set(ValueLayout.JAVA_BYTE, at + i, (byte) (i + 1));
    }
    Object seen = field.get(probe, 0L);
    return seen.equals(wanted.varHandle().get(probe, at));
  }

  /** Index in the array of words of a word of a record. */
  long at(long index, int word) {
    return Objects.checkIndex(index, length) * perRecord + word;
  }

  SharedLongs words() {
    return words;
  }

  /**
   * Copies a record into {@code to}, whose first {@code layout().byteSize()} bytes it replaces; no other node changes it meanwhile.
   *
   * @throws IndexOutOfBoundsException if {@code to} is shorter
   */
  public void read(long index, MemorySegment to) {
    long[] copy = new long[perRecord];
    MemorySegment target = to.asSlice(0, layout.byteSize());
    words.read(at(index, 0), copy, 0, perRecord);
    MemorySegment.copy(copy, 0, target, ValueLayout.JAVA_LONG_UNALIGNED, 0, perRecord);
  }

  /**
   * Copies the first {@code layout().byteSize()} bytes of {@code from} into a record; no other node sees or changes it meanwhile.
   *
   * @throws IndexOutOfBoundsException if {@code from} is shorter; nothing was changed
   */
  public void write(long index, MemorySegment from) {
    long[] copy = new long[perRecord];
    MemorySegment.copy(from.asSlice(0, layout.byteSize()), ValueLayout.JAVA_LONG_UNALIGNED, 0, copy, 0, perRecord);
    words.write(at(index, 0), copy, 0, perRecord);
  }

  /** Requests readable copies of the minipages of {@code count} records, without waiting. A hint. */
  public void prefetch(long index, long count) {
    Objects.checkFromIndexSize(index, count, length);
    words.prefetch(index * perRecord, count * perRecord);
  }

  /** Gives all nodes readable copies of the minipages of {@code count} records, without waiting. A hint. */
  public void push(long index, long count) {
    Objects.checkFromIndexSize(index, count, length);
    words.push(index * perRecord, count * perRecord);
  }

  /** The field of the type {@code long} in all records of an array. Any thread. */
  public static final class LongField {
    private final SharedRecords records;
    private final int word;

    private LongField(SharedRecords records, int word) {
      this.records = records;
      this.word = word;
    }

    /** Reads the field of one record. */
    public long get(long index) {
      return records.words().get(records.at(index, word));
    }

    /** Writes the field of one record. */
    public void set(long index, long value) {
      records.words().set(records.at(index, word), value);
    }

    /** Adds to the field atomically; returns the value before. */
    public long getAndAdd(long index, long delta) {
      return records.words().getAndAdd(records.at(index, word), delta);
    }

    /** Throws UnsupportedOperationException if the array refuses atomic changes. Changes nothing. */
    private void requireAtomics(long index, long seen) {
      compareAndSet(index, seen, seen);
    }

    /** Writes the field atomically if its value is {@code expected}; returns whether it did. */
    public boolean compareAndSet(long index, long expected, long value) {
      return records.words().compareAndSet(records.at(index, word), expected, value);
    }
  }

  /** The field of the type {@code double} in all records of an array. Any thread. */
  public static final class DoubleField {
    private final LongField bits;

    private DoubleField(LongField bits) {
      this.bits = bits;
    }

    /** Reads the field of one record. */
    public double get(long index) {
      return Double.longBitsToDouble(bits.get(index));
    }

    /** Writes the field of one record. */
    public void set(long index, double value) {
      bits.set(index, Double.doubleToRawLongBits(value));
    }

    /** Adds to the field atomically; returns the value before. */
    public double getAndAdd(long index, double delta) {
      long before;
      long after;
      do {
        before = bits.get(index);
        after = Double.doubleToRawLongBits(Double.longBitsToDouble(before) + delta);
      } while (!bits.compareAndSet(index, before, after));
      return Double.longBitsToDouble(before);
    }
  }

  /** The field of the type {@code int} in all records of an array. A write leaves the other half of its word as it is. Any thread. */
  public static final class IntField {
    private static final long HALF = 0xffff_ffffL;
    private final LongField words;
    private final int shift;

    private IntField(LongField words, int shift) {
      this.words = words;
      this.shift = shift;
    }

    private int of(long word) {
      return (int) (word >>> shift);
    }

    private long with(long word, int value) {
      return word & ~(HALF << shift) | (value & HALF) << shift;
    }

    /** Reads the field of one record. */
    public int get(long index) {
      return of(words.get(index));
    }

    /** Writes the field of one record. */
    public void set(long index, int value) {
      long before;
      do {
        before = words.get(index);
      } while (!words.compareAndSet(index, before, with(before, value)));
    }

    /** Adds to the field atomically; returns the value before. */
    public int getAndAdd(long index, int delta) {
      long before;
      do {
        before = words.get(index);
      } while (!words.compareAndSet(index, before, with(before, of(before) + delta)));
      return of(before);
    }

    /** Writes the field atomically if its value is {@code expected}; returns whether it did. */
    public boolean compareAndSet(long index, int expected, int value) {
      long before;
      do {
        before = words.get(index);
        if (of(before) != expected) {
          words.requireAtomics(index, before);
          return false;
        }
      } while (!words.compareAndSet(index, before, with(before, value)));
      return true;
    }
  }
}

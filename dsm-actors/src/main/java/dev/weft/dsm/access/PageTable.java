package dev.weft.dsm.access;

import dev.weft.dsm.wire.ObjectSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Rights of a node in the minipages of one array. Written by the protocol, read by any thread. A byte for each, or, where other nodes change them by RDMA,
 * a word, whose lowest byte is the right and whose next one says that a thread has waited for it and has not come back yet.
 */
public final class PageTable {
  static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

  private static final int WORD_SHIFT = 3;
  private static final int RIGHT = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : 7;
  private static final int SERVED = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 1 : 6;

  private final ObjectSpec spec;
  private final int shift;
  /** Keeps what {@link #at} is the address of. */
  private MemorySegment memory;
  /** Address of the first right; changed when the array is gone, because its words may be used for another one then. */
  private long at;
  private volatile String gone;
  private volatile MappedViews views;
  private boolean isChecked;

  /** In memory of its own. */
  public PageTable(ObjectSpec spec) {
    this(spec, Arena.ofAuto().allocate(spec.minipages(), Long.BYTES), 0);
  }

  /** In words that others change, too. */
  public PageTable(ObjectSpec spec, MemorySegment words) {
    this(spec, words, WORD_SHIFT);
    words.fill((byte) 0);
  }

  private PageTable(ObjectSpec spec, MemorySegment memory, int shift) {
    this.spec = spec;
    this.shift = shift;
    use(memory);
  }

  private void use(MemorySegment rights) {
    memory = rights;
    at = rights.address() + (shift == 0 ? 0 : RIGHT);
  }

  public ObjectSpec spec() {
    return spec;
  }

  /** Where the right is; this table is to be kept while that is accessed. */
  long addressOf(int index) {
    return at + ((long) index << shift);
  }

  /** Rights of this node in a minipage. */
  public byte rights(int index) {
    return (byte) BYTE.getVolatile(CheckedArray.MEMORY, addressOf(index));
  }

  void set(int index, byte value) {
    BYTE.setVolatile(CheckedArray.MEMORY, addressOf(index), value);
  }

  /** A thread that waited for the right is there, and holds the minipage. */
  void took(int index) {
    if (shift != 0) {
      long served = addressOf(index) - RIGHT + SERVED;
      if ((byte) BYTE.getOpaque(CheckedArray.MEMORY, served) != 0) {
        BYTE.setRelease(CheckedArray.MEMORY, served, (byte) 0);
      }
    }
  }

  /** Nobody has any rights from now on, and who wants some is told why. */
  public void end(String why) {
    gone = why;
    memory.fill(Rights.NONE);
    VarHandle.fullFence();
    MappedViews seen = views();
    if (seen != null) {
      seen.end(why);
    }
    if (shift != 0) {
      use(Arena.ofAuto().allocate((long) spec.minipages() << shift, Long.BYTES));
    }
  }

  /** Threads of this process look at this before each access. IllegalStateException if views have it, whose stores the frame does not see. */
  synchronized void useChecked() {
    if (views != null) {
      throw new IllegalStateException("this node serves \"" + spec.name() + "\" to applications by page protection; "
          + "threads of its JVM must use another node for it");
    }
    isChecked = true;
  }

  /** Other processes have views of it. IllegalStateException if threads of this one have used it, or other nodes change its rights by RDMA. */
  public synchronized void use(MappedViews mapped) {
    if (shift != 0) {
      throw new IllegalStateException("applications by page protection need weft.dsm.engine = request; it is synchronous here");
    }
    if (isChecked || views != null) {
      throw new IllegalStateException("threads of this JVM use \"" + spec.name() + "\" through this node already; "
          + "applications must reach it through another node");
    }
    views = mapped;
  }

  /** Null if there are none. */
  MappedViews views() {
    return views;
  }

  /** Why there is nothing here any more; null if there is. */
  public String gone() {
    return gone;
  }

  /** An IllegalStateException that says why, if there is nothing here any more. */
  void requireThere() {
    String why = gone;
    if (why != null) {
      throw new IllegalStateException(why);
    }
  }
}

package dev.weft.dsm.access;

import dev.weft.dsm.wire.ObjectSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A node's rights to the minipages of one array. The protocol writes it, any thread reads it. It has a byte for each minipage. Where other nodes
 * change rights by RDMA, it has a word: the lowest byte is the right, and the next byte says that a thread has waited for it and has not come back
 * yet.
 */
public final class PageTable {
  static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

  private static final int WORD_SHIFT = 3;
  private static final int RIGHT = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : 7;
  private static final int SERVED = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 1 : 6;

  private final ObjectSpec spec;
  private final int shift;
  /** Keeps the memory at {@link #at} alive. */
  private MemorySegment memory;
  /** Address of the first right. It changes when the array ends, because another array may use the words then. */
  private long at;
  private volatile String gone;
  private volatile MappedViews views;
  private boolean isChecked;

  /** A page table in private memory. */
  public PageTable(ObjectSpec spec) {
    this(spec, Arena.ofAuto().allocate(spec.minipages(), Long.BYTES), 0);
  }

  /** A page table in words that other nodes change, too. */
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

  /** Address of the right. The caller must keep this table alive while it uses the address. */
  long addressOf(int index) {
    return at + ((long) index << shift);
  }

  /** Rights of this node to a minipage. */
  public byte rights(int index) {
    return (byte) BYTE.getVolatile(CheckedArray.MEMORY, addressOf(index));
  }

  void set(int index, byte value) {
    BYTE.setVolatile(CheckedArray.MEMORY, addressOf(index), value);
  }

  /** A thread that waited for the right has come back, and holds the minipage. */
  void took(int index) {
    if (shift != 0) {
      long served = addressOf(index) - RIGHT + SERVED;
      if ((byte) BYTE.getOpaque(CheckedArray.MEMORY, served) != 0) {
        BYTE.setRelease(CheckedArray.MEMORY, served, (byte) 0);
      }
    }
  }

  /** Removes all rights; later accesses throw with the text {@code why}. */
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

  /**
   * Threads of this process check this table before each access. Throws IllegalStateException if the array has views, because the frame does not see
   * their stores.
   */
  synchronized void useChecked() {
    if (views != null) {
      throw new IllegalStateException("this node serves \"" + spec.name() + "\" to applications by page protection; "
          + "threads of its JVM must use another node for it");
    }
    isChecked = true;
  }

  /**
   * Other processes have views of the array. Throws IllegalStateException if threads of this process have used it, or if other nodes change its
   * rights by RDMA.
   */
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

  /** The views of the array; null if there are none. */
  MappedViews views() {
    return views;
  }

  /** Why the array has ended; null if it exists. */
  public String gone() {
    return gone;
  }

  /** Throws an IllegalStateException with the reason if the array has ended. */
  void requireThere() {
    String why = gone;
    if (why != null) {
      throw new IllegalStateException(why);
    }
  }
}

package dev.weft.fabric.memory;

import dev.weft.fabric.packet.MissingPages;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.packet.PayloadSource;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the memory of another JVM on this host with one copy, from the peer's memory directly to the target. Memory that the peer allocated
 * as {@link SharedMemory} is mapped into this process at its first use; all other memory is read by the Linux call process_vm_readv(2). The
 * kernel allows both for processes of the same user, unless it is configured otherwise (Yama's ptrace_scope, containers). {@link #of} finds
 * out by reading the peer's table. Any thread; a thread of its own makes each mapping.
 */
public final class PeerMemory implements PayloadSource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerMemory.class);
  private static final int ATTEMPTS = 100;
  private static final int BOUNCE_BYTES = 64 * 1024;
  private static final StructLayout ERRNO = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO_VALUE = ERRNO.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  // The function does not read its last argument. But the JVM keeps arguments open while a function runs; without it, the owner of the
  // target could free the target while the kernel writes to it.
  private static final MethodHandle READ = CLibrary.findIfAllowed("process_vm_readv",
      FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
          ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
      Linker.Option.captureCallState("errno"));
  private static final ThreadLocal<Call> CALLS = ThreadLocal.withInitial(Call::new);

  private static final Map<FileChannel.MapMode, Set<StandardOpenOption>> OPTIONS = Map.of(
      FileChannel.MapMode.READ_ONLY, Set.of(StandardOpenOption.READ),
      FileChannel.MapMode.READ_WRITE, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));

  /** Replaces each mapping when this is closed. */
  private static final Mapping CLOSED = new Mapping(Integer.MAX_VALUE, 0, null, null);

  private final long processId;
  private final long tableAddress;
  /** True while a mapping is being made; there is only one at a time. Requests for others are read meanwhile, not mapped. */
  private final AtomicBoolean mapping = new AtomicBoolean();
  private volatile MemorySegment leases;
  /** This process's place among the readers of the peer's memory. */
  private volatile LeaseReaders readers;
  private final AtomicReferenceArray<Mapping> mappings = new AtomicReferenceArray<>(SharedMemory.SEGMENTS_MAX);

  /** One piece of the peer's shared memory; {@code segment} is null while it is being mapped, and if that failed. */
  private record Mapping(int key, long address, MemorySegment segment, Arena arena) {}

  /** Bytes that one packet refers to. They are in shared memory if {@code mapping} is not null. */
  private record Piece(PeerMemory memory, Mapping mapping, long lease, long loan) implements PayloadSource {
    @Override
    public int copyTo(long address, MemorySegment target, long targetOffset, int length) {
      int copied = 0;
      boolean isSame;
      try {
        memory.readers.begin(SharedLease.slot(loan));
        try {
          isSame = isSame(); // If the leases are the same, the owner waits for the end of this copy.
          if (isSame) {
            copied = copy(address, target, targetOffset, length);
            VarHandle.loadLoadFence(); // The copy must be complete before the leases are checked again.
            isSame = isSame();
          }
        } finally {
          memory.readers.end();
        }
      } catch (IllegalStateException closed) {
        if (!target.scope().isAlive()) {
          throw closed;
        }
        isSame = false; // One of the mappings has been closed.
      }
      if (!isSame) {
        throw new PayloadLostException("process " + memory.processId + " has taken back the bytes at 0x" + Long.toHexString(address));
      }
      return copied;
    }

    private int copy(long address, MemorySegment target, long targetOffset, int length) {
      if (mapping == null) {
        return memory.copyTo(address, target, targetOffset, length);
      }
      try {
        MemorySegment.copy(mapping.segment, address - mapping.address, target, targetOffset, length);
        MissingPages.raise();
      } catch (InternalError error) {
        MissingPages.expect(error);
        throw new PayloadLostException(length + " bytes at 0x" + Long.toHexString(address) + " of process " + memory.processId
            + ", or where they belong, have no pages any more");
      }
      return length;
    }

    private boolean isSame() {
      return SharedLease.isSame(memory.leases, lease) && SharedLease.isSame(memory.leases, loan);
    }
  }

  /** The arguments of process_vm_readv(2), for one thread. */
  private static final class Call {
    /** Two struct iovec: this process's, then the peer's. */
    final MemorySegment vectors = Arena.ofAuto().allocate(4L * Long.BYTES, Long.BYTES);
    final MemorySegment theirs = vectors.asSlice(2L * Long.BYTES);
    final MemorySegment state = Arena.ofAuto().allocate(ERRNO);
    /** A buffer for targets on the heap, which the kernel cannot write to. */
    MemorySegment bounce;

    /** Reads once. {@code kept}, the segment that contains {@code to}, stays open during the call. */
    long read(long processId, long from, MemorySegment kept, long to, long length) {
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 0, to);
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 1, length);
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 2, from);
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 3, length);
      try {
        return (long) READ.invokeExact(state, processId, vectors, 1L, theirs, 1L, 0L, kept);
      } catch (Throwable e) {
        throw new IllegalStateException("process_vm_readv(2) could not be called", e);
      }
    }

    int errno() {
      return (int) ERRNO_VALUE.get(state, 0L);
    }

    MemorySegment bounce() {
      if (bounce == null) {
        bounce = Arena.ofAuto().allocate(BOUNCE_BYTES);
      }
      return bounce;
    }
  }

  private PeerMemory(long processId, long tableAddress) {
    this.processId = processId;
    this.tableAddress = tableAddress;
  }

  /** Whether this machine has process_vm_readv(2) and this JVM may call it. */
  public static boolean isSupported() {
    return READ != null;
  }

  /**
   * Returns the memory of a process; null if it cannot be read, or if {@code processId} now belongs to another process.
   *
   * @param tableAddress {@link SharedMemory#tableAddress} there
   * @param processValue {@link SharedMemory#processValue} there
   */
  public static PeerMemory of(long processId, long tableAddress, long processValue) {
    if (READ == null) {
      return null;
    }
    Call call = CALLS.get();
    MemorySegment word = call.bounce();
    word.set(ValueLayout.JAVA_LONG, 0, ~processValue);
    long read = call.read(processId, tableAddress, word, word.address(), Long.BYTES);
    if (read != Long.BYTES || word.get(ValueLayout.JAVA_LONG, 0) != processValue) {
      return null;
    }
    PeerMemory memory = new PeerMemory(processId, tableAddress);
    return memory.mapLeases() ? memory : null;
  }

  private boolean mapLeases() {
    try {
      MemorySegment word = MemorySegment.ofArray(new long[1]);
      copyTo(tableAddress + 2L * Long.BYTES, word, 0, Long.BYTES);
      int key = (int) word.get(ValueLayout.JAVA_LONG, 0);
      if (key != 0) {
        Mapping pending = new Mapping(key, 0, null, null);
        mappings.set(SharedMemory.slot(key), pending);
        map(SharedMemory.slot(key), pending, FileChannel.MapMode.READ_WRITE);
        leases = mappings.get(SharedMemory.slot(key)).segment;
        readers = leases == null ? null : LeaseReaders.enter(leases.asSlice(SharedLease.READERS_OFFSET));
      }
    } catch (PayloadLostException gone) {
      LOG.info("process {} has ended", processId);
    }
    return readers != null;
  }

  /**
   * Returns the bytes at {@code address} as a payload.
   *
   * @param key key of the shared memory that holds the bytes, {@link SharedMemory#keyOf}; 0 for none
   * @param lease state of the lease under which the bytes may be read, {@link SharedLease#state}
   * @param loan state of the lease of their loan: its owner waits for readers before it takes the memory back
   * @throws IndexOutOfBoundsException if the key's memory does not hold the bytes, or there is no such lease
   */
  public Payload payload(int key, long address, int length, long lease, long loan, Payload tail, Runnable onRelease) {
    Objects.checkIndex(SharedLease.slot(lease), SharedLease.WORDS);
    Objects.checkIndex(SharedLease.slot(loan), SharedLease.WORDS);
    Mapping found = key == 0 ? null : mapping(key);
    if (found != null) {
      Objects.checkFromIndexSize(address - found.address, length, found.segment.byteSize());
    }
    return Payload.of(new Piece(this, found, lease, loan), address, length, tail, onRelease);
  }

  /** Whether the memory with a key is mapped. If it is not, the call may start to map it. */
  boolean isMapped(int key) {
    return mapping(key) != null;
  }

  /** Closes all mappings. Packets that still refer to them count as lost. */
  @Override
  public void close() {
    try {
      readers.leave();
    } catch (IllegalStateException closed) {
      return; // Closed already.
    }
    for (int slot = 0; slot < SharedMemory.SEGMENTS_MAX; slot++) {
      Mapping found = mappings.getAndSet(slot, CLOSED);
      if (found != null && found.arena != null) {
        found.arena.close();
      }
    }
  }

  /** Returns the mapping of the memory with a key. If there is none, returns null, and may start to make it. */
  private Mapping mapping(int key) {
    int slot = SharedMemory.slot(key);
    Mapping found = mappings.get(slot);
    if (found != null && found.key == key) {
      return found.segment == null ? null : found;
    }
    // Keys grow, so an older key comes from a late packet.
    if ((found == null || found.key < key) && mapping.compareAndSet(false, true)) {
      Mapping pending = new Mapping(key, 0, null, null);
      if (mappings.compareAndSet(slot, found, pending)) {
        Thread.ofPlatform().daemon().name("weft-map-" + processId).start(() -> replace(slot, found, pending));
      } else {
        mapping.set(false);
      }
    }
    return null;
  }

  private void replace(int slot, Mapping former, Mapping pending) {
    try {
      map(slot, pending, FileChannel.MapMode.READ_ONLY);
    } finally {
      mapping.set(false);
      if (former != null && former.arena != null) {
        former.arena.close();
      }
    }
  }

  private void map(int slot, Mapping pending, FileChannel.MapMode mode) {
    Arena arena = Arena.ofShared();
    boolean taken = false;
    try {
      long[] entry = entry(slot);
      if (entry == null || (int) entry[0] != pending.key) {
        return;
      }
      Path file = Path.of("/proc/" + processId + "/fd/" + entry[4]);
      boolean same = SharedMemory.inode(file) == entry[3];
      try (FileChannel channel = FileChannel.open(file, OPTIONS.get(mode))) {
        MemorySegment segment = channel.map(mode, 0, entry[2], arena);
        // The inode is the same before and after the open, so the descriptor referred to this file in between.
        if (same && SharedMemory.inode(file) == entry[3]) {
          segment.load();
          taken = mappings.compareAndSet(slot, pending, new Mapping(pending.key, entry[1], segment, arena));
        }
      }
    } catch (IOException | PayloadLostException | UnsupportedOperationException e) {
      LOG.info("shared memory of process {} cannot be mapped, so it is read: {}", processId, e.toString());
    } finally {
      if (!taken) {
        arena.close();
      }
    }
  }

  /** Returns one entry of the peer's table; null if the table keeps changing. */
  private long[] entry(int slot) {
    MemorySegment copy = MemorySegment.ofArray(new long[SharedMemory.HEAD_WORDS + SharedMemory.SEGMENTS_MAX * SharedMemory.ENTRY_WORDS]);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      copyTo(tableAddress, copy, 0, (int) copy.byteSize());
      long version = copy.getAtIndex(ValueLayout.JAVA_LONG, 1);
      MemorySegment again = MemorySegment.ofArray(new long[1]);
      copyTo(tableAddress + Long.BYTES, again, 0, Long.BYTES);
      if ((version & 1) == 0 && again.get(ValueLayout.JAVA_LONG, 0) == version) {
        long[] entry = new long[SharedMemory.ENTRY_WORDS];
        MemorySegment.copy(copy, ValueLayout.JAVA_LONG, (SharedMemory.HEAD_WORDS + (long) slot * entry.length) * Long.BYTES, entry, 0, entry.length);
        return entry;
      }
    }
    return null;
  }

  @Override
  public int copyTo(long address, MemorySegment target, long targetOffset, int length) {
    Objects.checkFromIndexSize(targetOffset, length, target.byteSize());
    Call call = CALLS.get();
    if (target.isNative()) {
      read(call, address, target, target.address() + targetOffset, length);
      return length;
    }
    for (int done = 0; done < length; done += BOUNCE_BYTES) {
      int count = Math.min(BOUNCE_BYTES, length - done);
      read(call, address + done, call.bounce(), call.bounce().address(), count);
      MemorySegment.copy(call.bounce(), 0, target, targetOffset + done, count);
    }
    return 2 * length;
  }

  private void read(Call call, long from, MemorySegment kept, long to, int length) {
    int done = 0;
    while (done < length) {
      long count = call.read(processId, from + done, kept, to + done, length - done);
      if (count <= 0) {
        throw new PayloadLostException(length + " bytes at 0x" + Long.toHexString(from) + " of process " + processId
            + " cannot be read: errno " + call.errno());
      }
      done += (int) count;
    }
  }

  @Override
  public String toString() {
    return "PeerMemory[process " + processId + "]";
  }
}

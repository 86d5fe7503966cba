package dev.weft.pvfs.client;

import dev.weft.hca.registration.Registration;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.types.Shape;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.FileTimes;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * An operation of a program on one file, and its progress. From {@code submit} until {@link #isDone} its fields belong to the client's thread, then
 * again to the program.
 */
public final class IoTask {
  private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> { });

  final DaemonOp op;
  final long object;
  final Striping striping;
  /** Ranges of the file, in order; together as long as the memory. */
  final long[] offsets;
  final long[] lengths;
  final MemorySegment[] memory;
  private final Consumer<IoTask> whenDone;
  private Fence fence = Fence.NONE;
  private final Registration[] registrations;

  /** The shape whose data the ranges are a part of, from {@link #shapePosition} on; null if requests must carry ranges. */
  private Shape shape;
  private long shapePosition;

  // Progress.
  int range;
  long rangeDone;
  int segment;
  long segmentDone;
  /** Bytes in requests that are not answered yet. */
  long underWayBytes;
  int requestsUnderWay;
  long beganNs;
  /** The first requested byte that a local object does not have. It lies in a hole or beyond the end of the file; only all daemons together can tell. */
  private long missing = Long.MAX_VALUE;
  private boolean asksLengths;
  private boolean readsAgain;
  private long fileBytes;
  private long wroteNs;
  private long askedNs;
  private long freeBytes;
  private long totalBytes;
  /** For STATFS: disks already counted. */
  private Set<Integer> disks = Set.of();
  private int pageBytes;
  private long nextCookie;
  private long badBlocks;
  private int errno = Errno.OK;
  private volatile boolean done;

  /**
   * @param op READ or WRITE of the ranges; STAT, SYNC, REMOVE of the whole file; TRUNCATE and EXTEND to the first offset; PUNCH of the ranges; SCRUB
   *     of the first range; LIST of the objects of the striping's one daemon, with the first offset as the cookie
   * @param whenDone called on the client's thread; must not block
   */
  public IoTask(DaemonOp op, long object, Striping striping, long[] offsets, long[] lengths, MemorySegment[] memory, Consumer<IoTask> whenDone) {
    this.op = op;
    this.object = object;
    this.striping = striping;
    this.offsets = offsets;
    this.lengths = lengths;
    this.memory = memory;
    this.whenDone = whenDone;
    this.registrations = new Registration[memory.length];
    check();
  }

  private void check() {
    long bytes = 0;
    for (int i = 0; i < offsets.length; i++) {
      if (offsets[i] < 0 || lengths[i] < 0 || offsets[i] > Striping.FILE_BYTES_MAX - lengths[i]) {
        throw new IllegalArgumentException("a range of " + lengths[i] + " bytes from " + offsets[i] + ", must lie between 0 and " + Striping.FILE_BYTES_MAX);
      }
      bytes += lengths[i];
    }
    long room = 0;
    for (MemorySegment each : memory) {
      room += each.byteSize();
    }
    if ((op == DaemonOp.READ || op == DaemonOp.WRITE) && room != bytes) {
      throw new IllegalArgumentException(room + " bytes of memory for " + bytes + " bytes of the file, must be as many");
    }
    for (MemorySegment each : memory) {
      if (!each.isNative() || !each.isAccessibleBy(ANOTHER)) {
        throw new IllegalArgumentException((each.isNative() ? "memory of a confined arena, must be of a shared or automatic one: "
            : "memory that is not native, must be: ") + each);
      }
      if (op == DaemonOp.READ && each.isReadOnly()) {
        throw new IllegalArgumentException("memory to read into that is read-only, must be writable: " + each);
      }
    }
  }

  /**
   * Lets requests carry a shape whose data the ranges are a part of; used only if the memory is one piece. Call before the submit.
   *
   * @param position of the first byte, in the data of the shape
   */
  void shaped(Shape of, long position) {
    if (memory.length == 1) {
      shape = of;
      shapePosition = position;
    }
  }

  /** Makes the task depend on a fence. Call before the submit. */
  void behind(Fence allowing) {
    fence = allowing;
  }

  Fence.State fence() {
    return fence.state();
  }

  /** Null if requests carry ranges. */
  Shape shape() {
    return shape;
  }

  /** Returns the position of the first byte of its memory, in the data of its shape. */
  long shapeStart() {
    return shapePosition;
  }

  /** Returns the position to continue from, in the data of its shape: its one piece of memory has progressed as far. */
  long shapePosition() {
    return shapePosition + segmentDone;
  }

  /** Whether the task has ended; then any thread may read its results. */
  public boolean isDone() {
    return done;
  }

  /** {@link Errno#OK}, or the error; after an error some of the operation may have been done. */
  public int errno() {
    return errno;
  }

  /** Returns the bytes that were written, or the bytes of the ranges that the file has, all of which were read. */
  public long bytes() {
    long bytes = 0;
    for (int i = 0; i < offsets.length; i++) {
      bytes += op == DaemonOp.READ && asksLengths ? Math.clamp(fileBytes - offsets[i], 0, lengths[i]) : lengths[i];
    }
    return bytes;
  }

  /** Returns the length of the file if daemons were asked for it: by STAT, or by a read that met the end. */
  public long fileBytes() {
    return fileBytes;
  }

  /** When the task changed the content, in nanoseconds since 1970. For STAT, the time of the last change that daemons know, 0 if they know none. */
  public long wroteNs() {
    return wroteNs;
  }

  /** When the program asked, in nanoseconds since 1970. */
  public long askedNs() {
    return askedNs;
  }

  /** Sets the time of the request. Before the submit. */
  void askedAt(long timeNs) {
    askedNs = timeNs;
    wroteNs = op == DaemonOp.WRITE || op == DaemonOp.EXTEND || op == DaemonOp.PUNCH ? timeNs : 0;
  }

  /** Takes the time of a daemon's last change. */
  void learnWritten(long timeNs) {
    wroteNs = wroteNs == 0 ? timeNs : FileTimes.latest(timeNs, wroteNs, askedNs);
  }

  /** For STATFS: free bytes of all daemons of the file together. */
  public long freeBytes() {
    return freeBytes;
  }

  /** For STATFS: all bytes of these daemons together. */
  public long totalBytes() {
    return totalBytes;
  }

  /** For LIST: bytes of the page in the task's memory; 16 for each object, its number and its length. */
  public int pageBytes() {
    return pageBytes;
  }

  /** For LIST: where the next page begins; 0 after the last one. */
  public long nextCookie() {
    return nextCookie;
  }

  /** For SCRUB: blocks that differ from what was written. */
  public long badBlocks() {
    return badBlocks;
  }

  void learnPage(int bytes, long next) {
    pageBytes = bytes;
    nextCookie = next;
  }

  void learnBad(long blocks) {
    badBlocks += blocks;
  }

  /** Adds the space of a daemon. {@code disk} is 0 or the number of its disk: a shared disk counts once. */
  void learnRoom(long free, long all, int disk) {
    if (disk != 0 && disks.isEmpty()) {
      disks = new HashSet<>();
    }
    if (disk == 0 || disks.add(disk)) {
      freeBytes += free;
      totalBytes += all;
    }
  }

  boolean isCut() {
    return range >= offsets.length;
  }

  /** Advances by so many bytes in the file and in memory. */
  void advance(int bytes) {
    rangeDone += bytes;
    segmentDone += bytes;
    skipWhole();
  }

  void skipWhole() {
    while (range < offsets.length && rangeDone >= lengths[range]) {
      range++;
      rangeDone = 0;
    }
    while (segment < memory.length && segmentDone >= memory[segment].byteSize()) {
      segment++;
      segmentDone = 0;
    }
  }

  /** Takes the answer for a part of a read; {@code end} is the end of the part in its local object. */
  void learnRead(int slot, long objectBytes, long end) {
    if (end > objectBytes) {
      missing = Math.min(missing, striping.offsetOf(slot, objectBytes));
    }
    if (!readsAgain) { // The length is older than the second read: a byte missing below it is then in a hole.
      learn(slot, objectBytes);
    }
  }

  /** Returns true once, if daemons must be asked for the length of the file. */
  boolean mustAskLengths() {
    boolean mustAsk = missing < Long.MAX_VALUE && !asksLengths && !hasFailed();
    asksLengths |= mustAsk;
    return mustAsk;
  }

  /** Returns true once, if the file has grown or has a hole: bytes that now read as zeros may have been written before the length was asked. */
  boolean mustReadAgain() {
    boolean mustRead = asksLengths && !readsAgain && missing < fileBytes && op == DaemonOp.READ && !hasFailed();
    if (mustRead) {
      readsAgain = true;
      range = 0;
      rangeDone = 0;
      segment = 0;
      segmentDone = 0;
    }
    return mustRead;
  }

  /** Sets everything behind the end of the file to zeros, even if it was written or cut after the length was asked. */
  void zeroRest() {
    if (op != DaemonOp.READ || !asksLengths || hasFailed()) {
      return;
    }
    int in = 0;
    long at = 0;
    for (int i = 0; i < offsets.length; i++) {
      long has = Math.clamp(fileBytes - offsets[i], 0, lengths[i]);
      for (long done = 0; done < lengths[i];) {
        long piece = Math.min(lengths[i] - done, memory[in].byteSize() - at);
        long from = Math.max(done, has);
        if (from < done + piece) {
          memory[in].asSlice(at + from - done, done + piece - from).fill((byte) 0);
        }
        done += piece;
        at += piece;
        if (at == memory[in].byteSize()) {
          in++;
          at = 0;
        }
      }
    }
  }

  void fail(int why) {
    if (errno == Errno.OK) {
      errno = why;
    }
  }

  boolean hasFailed() {
    return errno != Errno.OK;
  }

  /** Takes the length of a local object. */
  void learn(int slot, long objectBytes) {
    fileBytes = Math.max(fileBytes, striping.fileBytes(slot, objectBytes));
  }

  Registration registration(int index) {
    return registrations[index];
  }

  void register(int index, Registration registration) {
    registrations[index] = registration;
  }

  void finish() {
    done = true;
    whenDone.accept(this);
  }
}

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
 * What a program asks of one file, and what becomes of it. Its fields are of the client's thread from {@code submit} until {@link #isDone}; then they are
 * of the program's again.
 */
public final class IoTask {
  private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> { });

  final DaemonOp op;
  final long object;
  final Striping striping;
  /** Ranges of the file, in order; as long together as the memory. */
  final long[] offsets;
  final long[] lengths;
  final MemorySegment[] memory;
  private final Consumer<IoTask> whenDone;
  private Fence fence = Fence.NONE;
  private final Registration[] registrations;

  /** Of which the ranges are a part, from {@link #shapePosition} on; null if they are of none that could be told daemons. */
  private Shape shape;
  private long shapePosition;

  // How far it is.
  int range;
  long rangeDone;
  int segment;
  long segmentDone;
  /** Bytes whose requests have been made and not answered. */
  long underWayBytes;
  int requestsUnderWay;
  long beganNs;
  /** The first byte of what was asked for that a local object has not: a hole, or beyond the end of the file; all daemons must be asked then. */
  private long missing = Long.MAX_VALUE;
  private boolean asksLengths;
  private boolean readsAgain;
  private long fileBytes;
  private long wroteNs;
  private long askedNs;
  private long freeBytes;
  private long totalBytes;
  /** Of STATFS. */
  private Set<Integer> disks = Set.of();
  private int pageBytes;
  private long nextCookie;
  private long badBlocks;
  private int errno = Errno.OK;
  private volatile boolean done;

  /**
   * @param op READ or WRITE of the ranges, STAT, SYNC, REMOVE of the whole file, TRUNCATE and EXTEND to the first offset, PUNCH of the ranges, SCRUB of
   *     the first range, LIST of the objects of the one daemon of the striping, from the cookie that is the first offset on
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
   * Its ranges are a part of the data of a shape, which daemons may be told in their place; where its memory is one piece. Before it is submitted.
   *
   * @param position of the first byte, in the data of the shape
   */
  void shaped(Shape of, long position) {
    if (memory.length == 1) {
      shape = of;
      shapePosition = position;
    }
  }

  /** What it does may be done only as long as that says so. Before it is submitted. */
  void behind(Fence allowing) {
    fence = allowing;
  }

  Fence.State fence() {
    return fence.state();
  }

  /** Null if daemons are to be told ranges. */
  Shape shape() {
    return shape;
  }

  /** Of the first byte of its memory, in the data of its shape. */
  long shapeStart() {
    return shapePosition;
  }

  /** Where it goes on, in the data of its shape: that is as far as its one piece of memory. */
  long shapePosition() {
    return shapePosition + segmentDone;
  }

  /** True when it is over; from then on the rest can be read, by any thread. */
  public boolean isDone() {
    return done;
  }

  /** {@link Errno#OK}, or why it failed; then some of it may have been done. */
  public int errno() {
    return errno;
  }

  /** Bytes that were read, all that the file has of the ranges; or written. */
  public long bytes() {
    long bytes = 0;
    for (int i = 0; i < offsets.length; i++) {
      bytes += op == DaemonOp.READ && asksLengths ? Math.clamp(fileBytes - offsets[i], 0, lengths[i]) : lengths[i];
    }
    return bytes;
  }

  /** Length of the file, where daemons were asked for it: STAT, and a read that met its end. */
  public long fileBytes() {
    return fileBytes;
  }

  /** When it changed the content, nanoseconds since 1970; of STAT when somebody did last, as far as daemons know, 0 if they do not. */
  public long wroteNs() {
    return wroteNs;
  }

  /** When it was asked for, nanoseconds since 1970. */
  public long askedNs() {
    return askedNs;
  }

  /** Before it is submitted. */
  void askedAt(long timeNs) {
    askedNs = timeNs;
    wroteNs = op == DaemonOp.WRITE || op == DaemonOp.EXTEND || op == DaemonOp.PUNCH ? timeNs : 0;
  }

  /** What a daemon knows. */
  void learnWritten(long timeNs) {
    wroteNs = wroteNs == 0 ? timeNs : FileTimes.latest(timeNs, wroteNs, askedNs);
  }

  /** Of STATFS: bytes that are free at the daemons of the file, all together. */
  public long freeBytes() {
    return freeBytes;
  }

  /** Of STATFS: bytes that there are at all. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Of LIST: bytes of the page, in the memory of the task; 16 for each object, its number and its length. */
  public int pageBytes() {
    return pageBytes;
  }

  /** Of LIST: where the next page begins; 0 if this was the last one. */
  public long nextCookie() {
    return nextCookie;
  }

  /** Of SCRUB: blocks that are not what was written. */
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

  /** {@code disk} is 0, or its number: daemons that share a disk have its room once. */
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

  /** Goes on by so many bytes in the file and in memory. */
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

  /** A part of a read is answered: {@code end} is where it ends in its local object. */
  void learnRead(int slot, long objectBytes, long end) {
    if (end > objectBytes) {
      missing = Math.min(missing, striping.offsetOf(slot, objectBytes));
    }
    if (!readsAgain) { // The length is that from before it read again: what is missing below it then is a hole.
      learn(slot, objectBytes);
    }
  }

  /** True once, where daemons have to be asked how long the file is. */
  boolean mustAskLengths() {
    boolean mustAsk = missing < Long.MAX_VALUE && !asksLengths && !hasFailed();
    asksLengths |= mustAsk;
    return mustAsk;
  }

  /** True once, where the file has grown, or has a hole: what is zeros now may have been written before the length was asked for. */
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

  /** A read that is over: behind the end of the file there are zeros, also where it was written, or cut, after it was asked how long it is. */
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

  /** The length of a local object. */
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

package dev.weft.pvfs.mpiio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.FlatType;
import java.lang.foreign.MemorySegment;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A file that the ranks of a job have open together, with the semantics of MPI-IO. Each rank uses it on its own thread. Calls that end in {@code All}
 * or {@code Ordered}, opening, closing, views, sizes and {@link #sync} are collective: all ranks make them in the same order, and if one rank fails,
 * all throw. If ranks make different collective calls, all get an {@link IllegalStateException}.
 *
 * <p>Offsets count etypes of the view. Memory is native and of a shared, automatic or global arena. A call returns the number of bytes that it moved;
 * a read moves less than requested only at the end of the file.
 *
 * <p>When a write has returned, all ranks see it, without {@link #sync}. Overlapping calls have no order, and a call over several stripes is not
 * atomic: there is no atomic mode.
 */
public final class MpiFile implements AutoCloseable {
  private static final Datatype BYTE = Datatype.bytes(1);
  /**
   * Two phases take so many rounds without restriction; for each round that the data would fill, {@code ROUNDS_PER_FULL_ONE} more may be nearly
   * empty.
   */
  private static final long ROUNDS_FREE = 64;
  private static final long ROUNDS_PER_FULL_ONE = 16;

  private final Ranks ranks;
  private final PvfsFileSystem files;
  private final PvfsFile file;
  private final String path;
  private final MpiHints hints;
  private final boolean deletesOnClose;
  private final int aggregators;
  private final MemorySegment buffer;
  private final SharedPointer shared;
  private FlatType view = new FlatType(0, BYTE);
  private long etypeBytes = 1;
  /** The pointer of this rank, in etypes. */
  private long position;
  private boolean closed;

  private MpiFile(Ranks ranks, PvfsFileSystem files, PvfsFile file, String path, MpiHints hints, boolean deletesOnClose, int aggregators,
      MemorySegment buffer, SharedPointer shared) {
    this.ranks = ranks;
    this.files = files;
    this.file = file;
    this.path = path;
    this.hints = hints;
    this.deletesOnClose = deletesOnClose;
    this.aggregators = aggregators;
    this.buffer = buffer;
    this.shared = shared;
  }

  /**
   * Opens a file. Collective.
   *
   * @param files the client of this rank: each rank has its own connection
   * @param options READ, WRITE, CREATE, CREATE_NEW, TRUNCATE_EXISTING, DELETE_ON_CLOSE; the same at all ranks
   */
  public static MpiFile open(Ranks ranks, PvfsFileSystem files, String path, MpiHints hints, OpenOption... options) throws PvfsException {
    List<OpenOption> all = List.of(options);
    List<OpenOption> first = all.stream().filter(option -> option != StandardOpenOption.DELETE_ON_CLOSE).toList();
    List<OpenOption> others = first.stream().filter(option -> option == StandardOpenOption.READ || option == StandardOpenOption.WRITE).toList();
    PvfsFile[] file = {null};
    try {
      for (int turn = 0; turn < 2; turn++) { // Rank 0 creates the file, then the others open it.
        OpenOption[] wished = (turn == 0 ? first : others).toArray(OpenOption[]::new);
        Attempt opening = (turn == 0) != (ranks.rank() == 0) ? Attempt.NOTHING : Attempt.of(() -> file[0] = files.open(path, hints.wish(), 0644, wished));
        opening.agree(ranks, Collective.OPEN, "open " + path);
      }
      int aggregators = Math.min(ranks.size(), hints.cbNodes() == 0 ? file[0].striping().count() : hints.cbNodes());
      boolean aggregates = IntStream.range(0, aggregators).anyMatch(each -> TwoPhase.rankOf(each, aggregators, ranks.size()) == ranks.rank());
      MemorySegment[] buffer = {MemorySegment.NULL};
      Attempt.of(() -> buffer[0] = aggregates ? files.allocate(hints.cbBufferBytes()) : MemorySegment.NULL).agree(ranks, "memory for " + path);
      SharedPointer shared = SharedPointer.open(ranks, files.fabric(), files.node(), file[0].inode());
      return new MpiFile(ranks, files, file[0], path, hints, all.contains(StandardOpenOption.DELETE_ON_CLOSE), aggregators, buffer[0], shared);
    } catch (PvfsException | RuntimeException | OutOfMemoryError failed) {
      if (file[0] != null) {
        file[0].close();
      }
      throw failed;
    }
  }

  // Views and pointers.

  /**
   * Sets which bytes of the file this rank sees, and resets its pointers. Collective; each rank has its own view.
   *
   * @param displacement beginning of the view in bytes
   * @param etype the unit of offsets
   * @param filetype consists of whole etypes; it repeats without end, and its pieces ascend
   */
  public void setView(long displacement, Datatype etype, Datatype filetype) throws PvfsException {
    FlatType[] next = {null};
    Attempt.of(() -> {
      next[0] = new FlatType(displacement, filetype);
      if (etype.size() == 0 || filetype.size() % etype.size() != 0 || !next[0].isAscending()) {
        throw new PvfsException(Errno.EINVAL, "a filetype that is not made of whole etypes, or goes back");
      }
    }).agree(ranks, Collective.SET_VIEW, "a view whose filetype is not made of whole etypes, or goes back, of " + path);
    view = next[0];
    etypeBytes = etype.size();
    position = 0;
    setShared(0);
  }

  /** Returns this rank's pointer, in etypes. */
  public long position() {
    return position;
  }

  /** Sets this rank's pointer. */
  public void seek(long to) {
    requireOffset(to);
    position = to;
  }

  /** Sets the shared pointer. Collective. */
  public void seekShared(long to) throws PvfsException {
    Attempt.of(() -> requireOffset(to)).agree(ranks, Collective.SEEK_SHARED, "seek in " + path);
    setShared(to);
  }

  private void setShared(long to) {
    ranks.barrier();
    shared.set(to);
    ranks.barrier();
  }

  /** Returns the shared pointer, in etypes. */
  public long positionShared() throws PvfsException {
    return shared.getAndAdd(0);
  }

  private static void requireOffset(long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + ", must be 0 or more");
    }
  }

  /** Returns the number of etypes; throws if they are not whole, since pointers count etypes. */
  private long etypes(Datatype type, long count) {
    long bytes = type.times(count).size();
    if (bytes % etypeBytes != 0) {
      throw new IllegalArgumentException(bytes + " bytes are no whole etypes of " + etypeBytes);
    }
    return bytes / etypeBytes;
  }

  // One rank by itself.

  /** Reads from an offset on; moves no pointer. */
  public long readAt(long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(false, offset, memory, type, count);
  }

  /** Writes from an offset on; moves no pointer. */
  public long writeAt(long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(true, offset, memory, type, count);
  }

  /** Reads at this rank's pointer, and advances it by the requested length. */
  public long read(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(false, advancing(access(false, position, memory, type, count, true)));
  }

  /** Writes at this rank's pointer, and advances it. */
  public long write(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(true, advancing(access(true, position, memory, type, count, true)));
  }

  /** Reads at the shared pointer, and advances it; ranks come in any order. All ranks must have the same view. */
  public long readShared(MemorySegment memory, Datatype type, long count) throws PvfsException {
    access(false, 0, memory, type, count, true);
    return alone(false, moved(etypes(type, count)), memory, type, count);
  }

  /** Writes at the shared pointer, and advances it; as {@link #readShared}. */
  public long writeShared(MemorySegment memory, Datatype type, long count) throws PvfsException {
    access(true, 0, memory, type, count, true);
    return alone(true, moved(etypes(type, count)), memory, type, count);
  }

  /** Advances the shared pointer and returns its old value. If the access would lie beyond every file, the pointer stays. */
  private long moved(long etypes) throws PvfsException {
    long at = shared.getAndAdd(etypes);
    if (at < 0 || at > Striping.FILE_BYTES_MAX / etypeBytes - etypes) {
      shared.getAndAdd(-etypes);
      throw new PvfsException(Errno.EFBIG, etypes + " etypes from the shared pointer on, " + at + ", of " + path);
    }
    return at;
  }

  private Access advancing(Access access) {
    position += access.bytes() / etypeBytes;
    return access;
  }

  /** @param isWhole whether the access must consist of whole etypes */
  private Access access(boolean isWrite, long offset, MemorySegment memory, Datatype type, long count, boolean isWhole) {
    if (isWhole) {
      etypes(type, count);
    }
    return new Access(view, offset, etypeBytes, memory, type, count, !isWrite);
  }

  private long alone(boolean isWrite, long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(isWrite, access(isWrite, offset, memory, type, count, false));
  }

  private long alone(boolean isWrite, Access access) throws PvfsException {
    if (access.isEmpty()) {
      return 0;
    }
    MemorySegment[] slices = new MemorySegment[access.memory.count()];
    Arrays.setAll(slices, i -> access.base.asSlice(access.memory.offset(i), access.memory.length(i)));
    if (isWrite) {
      file.writeList(access.file.offsets(), access.file.lengths(), slices);
      return access.bytes();
    }
    return file.readList(access.file.offsets(), access.file.lengths(), slices);
  }

  // All ranks together.

  /** As {@link #readAt}, collective. */
  public long readAtAll(long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    return together(false, Collective.READ_AT_ALL, () -> access(false, offset, memory, type, count, false), false);
  }

  /** As {@link #writeAt}, collective. If ranks write the same byte in one call, one of them wins. */
  public long writeAtAll(long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    return together(true, Collective.WRITE_AT_ALL, () -> access(true, offset, memory, type, count, false), false);
  }

  /** As {@link #read}, collective. */
  public long readAll(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return together(false, Collective.READ_ALL, () -> access(false, position, memory, type, count, true), true);
  }

  /** As {@link #write}, collective. */
  public long writeAll(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return together(true, Collective.WRITE_ALL, () -> access(true, position, memory, type, count, true), true);
  }

  /** As {@link #readShared}, collective, in the order of ranks. */
  public long readOrdered(MemorySegment memory, Datatype type, long count) throws PvfsException {
    long at = inOrder(false, Collective.READ_ORDERED, memory, type, count);
    return together(false, Collective.WITHIN, () -> access(false, at, memory, type, count, true), false);
  }

  /** As {@link #writeShared}, collective, in the order of ranks. */
  public long writeOrdered(MemorySegment memory, Datatype type, long count) throws PvfsException {
    long at = inOrder(true, Collective.WRITE_ORDERED, memory, type, count);
    return together(true, Collective.WITHIN, () -> access(true, at, memory, type, count, true), false);
  }

  /** Advances the shared pointer by the lengths of all ranks, if no rank has an error. */
  private long inOrder(boolean isWrite, Collective call, MemorySegment memory, Datatype type, long count) throws PvfsException {
    long[] own = {0};
    Attempt asked = Attempt.of(() -> {
      access(isWrite, 0, memory, type, count, true);
      own[0] = etypes(type, count);
    });
    long[] all = asked.agree(ranks, call, "collective access to " + path, own[0]);
    long before = LongStream.of(all).limit(ranks.rank()).sum();
    long[] begin = {0};
    Attempt moved = ranks.rank() > 0 ? Attempt.NOTHING : Attempt.of(() -> begin[0] = moved(LongStream.of(all).reduce(0, Math::addExact)));
    return moved.agree(ranks, "the shared pointer of " + path, begin[0])[0] + before;
  }

  private long together(boolean isWrite, Collective call, Supplier<Access> of, boolean isAtPointer) throws PvfsException {
    Access[] made = {null};
    Attempt attempt = Attempt.of(() -> made[0] = of.get());
    Access access = made[0];
    boolean has = access != null && !access.isEmpty();
    long[][] all = attempt.agree(ranks, call, "collective access to " + path, has ? access.begin() : -1, has ? access.end() : -1,
        has ? access.bytes() : 0);
    if (isAtPointer) {
      advancing(access);
    }
    return isInTwoPhases(isWrite, all) ? inTwoPhases(isWrite, access, all) : eachAlone(isWrite, access);
  }

  /** Whether to use two phases. Automatic: if accesses of the ranks interleave. */
  private boolean isInTwoPhases(boolean isWrite, long[][] all) {
    MpiHints.When when = isWrite ? hints.cbWrite() : hints.cbRead();
    long[][] some = Stream.of(all).filter(each -> each[0] >= 0).sorted((a, b) -> Long.compare(a[0], b[0])).toArray(long[][]::new);
    boolean isMixed = IntStream.range(1, some.length).anyMatch(i -> some[i][0] < some[i - 1][1]);
    return some.length > 0 && (when == MpiHints.When.ENABLE || when == MpiHints.When.AUTOMATIC && isMixed) && isDense(some);
  }

  /** Whether the accesses are dense enough for two phases, whose rounds cover all bytes from the first to the last one, even if no rank wants them. */
  private boolean isDense(long[][] some) {
    long span = Stream.of(some).mapToLong(each -> each[1]).max().orElseThrow() - some[0][0];
    long bytes = LongStream.of(Stream.of(some).mapToLong(each -> each[2]).toArray()).reduce(0, Math::addExact);
    long inARound = (long) aggregators * hints.cbBufferBytes();
    return span / inARound <= ROUNDS_FREE + ROUNDS_PER_FULL_ONE * (bytes / inARound);
  }

  private long eachAlone(boolean isWrite, Access access) throws PvfsException {
    long[] bytes = {0};
    Attempt.of(() -> bytes[0] = alone(isWrite, access)).agree(ranks, (isWrite ? "write " : "read ") + path);
    return bytes[0];
  }

  private long inTwoPhases(boolean isWrite, Access access, long[][] all) throws PvfsException {
    long begin = Stream.of(all).filter(each -> each[0] >= 0).mapToLong(each -> each[0]).min().orElseThrow();
    long end = Stream.of(all).mapToLong(each -> each[1]).max().orElseThrow();
    Attempt moved = new TwoPhase(ranks, file, aggregators, buffer, hints.cbBufferBytes(), isWrite).run(access, begin, end);
    if (isWrite) {
      moved.agree(ranks, "write " + path);
      return access.bytes();
    }
    long[] length = {0};
    Attempt asked = ranks.rank() > 0 ? moved : moved.and(Attempt.of(() -> length[0] = file.size()));
    return access.bytesBefore(asked.agree(ranks, "read " + path, length[0])[0]);
  }

  // The whole file.

  /** Returns the length of the file now. */
  public long size() throws PvfsException {
    return file.size();
  }

  /** Cuts or extends the file. Collective. */
  public void setSize(long bytes) throws PvfsException {
    Attempt.NOTHING.agree(ranks, Collective.SET_SIZE, "truncate " + path);
    (ranks.rank() > 0 ? Attempt.NOTHING : Attempt.of(() -> file.truncate(bytes))).agree(ranks, "truncate " + path);
  }

  /** Returns when all earlier writes of all ranks are on the disks of the daemons. Collective. */
  public void sync() throws PvfsException {
    Attempt.NOTHING.agree(ranks, Collective.SYNC, "sync " + path);
    Attempt.of(file::sync).agree(ranks, "sync " + path); // Each rank hears of its own writes that a daemon has lost.
  }

  /** Returns the byte of the file at an offset of the view, in etypes. */
  public long byteOffset(long offset) {
    return view.offsetOf(Math.multiplyExact(offset, etypeBytes));
  }

  /** Closes it at all ranks. Collective. */
  @Override
  public void close() throws PvfsException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      Attempt.NOTHING.agree(ranks, Collective.CLOSE, "close " + path);
    } catch (RuntimeException broken) {
      Attempt.of(shared::close).and(Attempt.of(file::close)); // Without the other ranks, closes only this rank's parts.
      throw broken;
    }
    Attempt.of(shared::close).and(Attempt.of(file::close)).agree(ranks, "close " + path);
    (deletesOnClose && ranks.rank() == 0 ? Attempt.of(() -> files.unlink(path)) : Attempt.NOTHING).agree(ranks, "unlink " + path);
  }
}

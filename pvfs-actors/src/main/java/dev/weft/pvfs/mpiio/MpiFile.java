package dev.weft.pvfs.mpiio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.FlatType;
import java.lang.foreign.MemorySegment;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A file that the ranks of a job have open together, with the meaning that MPI-IO gives it. By the thread of each rank. Calls that end in {@code All} or
 * {@code Ordered}, opening, closing, views, sizes and {@link #sync} are collective: all ranks make them in the same order, and if one fails, all throw.
 *
 * <p>Offsets count etypes of the view; memory is native and of a shared, automatic or global arena. A call returns the bytes that it moved; a read has less
 * than it asked for only at the end of the file.
 *
 * <p>What a rank has written is seen by all when the call has returned, without {@link #sync}; but the order of calls that overlap is open, and one over
 * several stripes is not atomic: there is no atomic mode.
 */
public final class MpiFile implements AutoCloseable {
  private static final Datatype BYTE = Datatype.bytes(1);

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
  /** Of this rank, in etypes. */
  private long position;
  private boolean closed;

  private MpiFile(Ranks ranks, PvfsFileSystem files, PvfsFile file, String path, MpiHints hints, boolean deletesOnClose) {
    this.ranks = ranks;
    this.files = files;
    this.file = file;
    this.path = path;
    this.hints = hints;
    this.deletesOnClose = deletesOnClose;
    this.aggregators = Math.min(ranks.size(), hints.cbNodes() == 0 ? file.striping().count() : hints.cbNodes());
    boolean aggregates = IntStream.range(0, aggregators).anyMatch(each -> TwoPhase.rankOf(each, aggregators, ranks.size()) == ranks.rank());
    this.buffer = aggregates ? files.allocate(hints.cbBufferBytes()) : MemorySegment.NULL;
    this.shared = new SharedPointer(ranks, files.fabric(), files.node(), file.inode());
  }

  /**
   * Opens a file. Collective.
   *
   * @param files of this rank: ranks have connections of their own
   * @param options READ, WRITE, CREATE, CREATE_NEW, TRUNCATE_EXISTING, DELETE_ON_CLOSE; the same at all ranks
   */
  public static MpiFile open(Ranks ranks, PvfsFileSystem files, String path, MpiHints hints, OpenOption... options) throws PvfsException {
    List<OpenOption> all = List.of(options);
    List<OpenOption> first = all.stream().filter(option -> option != StandardOpenOption.DELETE_ON_CLOSE).toList();
    List<OpenOption> others = first.stream().filter(option -> option == StandardOpenOption.READ || option == StandardOpenOption.WRITE).toList();
    PvfsFile file = null;
    int errno = Errno.OK;
    for (int turn = 0; turn < 2; turn++) { // Rank 0 makes it, then the others find it.
      if ((turn == 0) == (ranks.rank() == 0) && errno == Errno.OK) {
        try {
          file = files.open(path, hints.wish(), 0644, (turn == 0 ? first : others).toArray(OpenOption[]::new));
        } catch (PvfsException failed) {
          errno = failed.errno();
        }
      }
      errno = firstErrno(Numbers.gather(ranks, errno), 0);
    }
    if (errno != Errno.OK) {
      if (file != null) {
        file.close();
      }
      throw new PvfsException(errno, "open " + path + " by all ranks");
    }
    return new MpiFile(ranks, files, file, path, hints, all.contains(StandardOpenOption.DELETE_ON_CLOSE));
  }

  private static int firstErrno(long[][] all, int index) {
    return (int) Stream.of(all).mapToLong(each -> each[index]).filter(each -> each != Errno.OK).findFirst().orElse(Errno.OK);
  }

  /** All throw if one has failed. */
  private void agree(int errno, String what) throws PvfsException {
    int any = firstErrno(Numbers.gather(ranks, errno), 0);
    if (any != Errno.OK) {
      throw new PvfsException(any, what + " " + path + (errno == any ? "" : " at another rank"));
    }
  }

  private interface Action {
    void run() throws PvfsException;
  }

  private static int errnoOf(Action action) {
    try {
      action.run();
      return Errno.OK;
    } catch (PvfsException failed) {
      return failed.errno();
    }
  }

  // Views and pointers.

  /**
   * Says which bytes of the file this rank sees; its pointers begin anew. Collective, each rank has a view of its own.
   *
   * @param displacement where the view begins, in bytes
   * @param etype what offsets count
   * @param filetype made of etypes; repeats without end, and its pieces ascend
   */
  public void setView(long displacement, Datatype etype, Datatype filetype) throws PvfsException {
    boolean fits = etype.size() > 0 && filetype.size() > 0 && filetype.size() % etype.size() == 0;
    FlatType next = fits ? new FlatType(displacement, filetype) : null;
    boolean isGood = next != null && next.isAscending();
    agree(isGood ? Errno.OK : Errno.EINVAL, isGood ? "view of" : "a view whose filetype is not made of whole etypes, or goes back, of");
    view = next;
    etypeBytes = etype.size();
    position = 0;
    setShared(0);
  }

  /** Where this rank's pointer is, in etypes. */
  public long position() {
    return position;
  }

  /** Puts this rank's pointer somewhere. */
  public void seek(long to) {
    requireOffset(to);
    position = to;
  }

  /** Puts the shared pointer somewhere. Collective. */
  public void seekShared(long to) throws PvfsException {
    requireOffset(to);
    setShared(to);
  }

  private void setShared(long to) {
    ranks.barrier();
    shared.set(to);
    ranks.barrier();
  }

  /** Where the shared pointer is, in etypes. */
  public long positionShared() throws PvfsException {
    return shared.getAndAdd(0);
  }

  private static void requireOffset(long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + ", must be 0 or more");
    }
  }

  /** Whole etypes, of which a call that moves a pointer must be made. */
  private long etypes(Datatype type, long count) {
    long bytes = type.times(count).size();
    if (bytes % etypeBytes != 0) {
      throw new IllegalArgumentException(bytes + " bytes are no whole etypes of " + etypeBytes);
    }
    return bytes / etypeBytes;
  }

  // One rank by itself.

  /** Reads from an offset on; no pointer moves. */
  public long readAt(long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(false, offset, memory, type, count);
  }

  /** Writes from an offset on; no pointer moves. */
  public long writeAt(long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(true, offset, memory, type, count);
  }

  /** Reads at this rank's pointer, which moves on by what was asked for. */
  public long read(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(false, advance(etypes(type, count)), memory, type, count);
  }

  /** Writes at this rank's pointer. */
  public long write(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(true, advance(etypes(type, count)), memory, type, count);
  }

  /** Reads at the shared pointer, which moves on; the order of ranks is open. All ranks have the same view. */
  public long readShared(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(false, shared.getAndAdd(etypes(type, count)), memory, type, count);
  }

  /** Writes at the shared pointer. */
  public long writeShared(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(true, shared.getAndAdd(etypes(type, count)), memory, type, count);
  }

  private long advance(long etypes) {
    long at = position;
    position += etypes;
    return at;
  }

  private long alone(boolean isWrite, long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    return alone(isWrite, new Access(view, Math.multiplyExact(offset, etypeBytes), memory, type, count));
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
    return together(false, offset, memory, type, count);
  }

  /** As {@link #writeAt}, collective. Where ranks write the same byte in one call, one of them wins. */
  public long writeAtAll(long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    return together(true, offset, memory, type, count);
  }

  /** As {@link #read}, collective. */
  public long readAll(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return together(false, advance(etypes(type, count)), memory, type, count);
  }

  /** As {@link #write}, collective. */
  public long writeAll(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return together(true, advance(etypes(type, count)), memory, type, count);
  }

  /** As {@link #readShared}, collective, rank by rank. */
  public long readOrdered(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return together(false, inOrder(etypes(type, count)), memory, type, count);
  }

  /** As {@link #writeShared}, collective, rank by rank. */
  public long writeOrdered(MemorySegment memory, Datatype type, long count) throws PvfsException {
    return together(true, inOrder(etypes(type, count)), memory, type, count);
  }

  /** The shared pointer moves by what all ask for. */
  private long inOrder(long etypes) throws PvfsException {
    long[][] all = Numbers.gather(ranks, etypes);
    long before = Arrays.stream(all, 0, ranks.rank()).mapToLong(each -> each[0]).sum();
    long[] begin = {0};
    int errno = ranks.rank() > 0 ? Errno.OK : errnoOf(() -> begin[0] = shared.getAndAdd(Stream.of(all).mapToLong(each -> each[0]).sum()));
    long[][] said = Numbers.gather(ranks, errno, begin[0]);
    if (firstErrno(said, 0) != Errno.OK) {
      throw new PvfsException(firstErrno(said, 0), "the shared pointer of " + path);
    }
    return said[0][1] + before;
  }

  private long together(boolean isWrite, long offset, MemorySegment memory, Datatype type, long count) throws PvfsException {
    Access access = null;
    RuntimeException wrong = null;
    try {
      access = new Access(view, Math.multiplyExact(offset, etypeBytes), memory, type, count);
    } catch (IllegalArgumentException | ArithmeticException refused) {
      wrong = refused; // The others wait: they are told.
    }
    boolean has = access != null && !access.isEmpty();
    long[][] all = Numbers.gather(ranks, wrong == null ? Errno.OK : Errno.EINVAL, has ? access.begin() : -1, has ? access.end() : -1);
    if (wrong != null) {
      throw wrong;
    }
    if (firstErrno(all, 0) != Errno.OK) {
      throw new PvfsException(Errno.EINVAL, "collective access to " + path + " at another rank");
    }
    return isInTwoPhases(isWrite, all) ? inTwoPhases(isWrite, access, all) : eachAlone(isWrite, access);
  }

  /** Whether what ranks access lies between what others do. */
  private boolean isInTwoPhases(boolean isWrite, long[][] all) {
    MpiHints.When when = isWrite ? hints.cbWrite() : hints.cbRead();
    long[][] some = Stream.of(all).filter(each -> each[1] >= 0).sorted((a, b) -> Long.compare(a[1], b[1])).toArray(long[][]::new);
    boolean isMixed = IntStream.range(1, some.length).anyMatch(i -> some[i][1] < some[i - 1][2]);
    return some.length > 0 && (when == MpiHints.When.ENABLE || when == MpiHints.When.AUTOMATIC && isMixed);
  }

  private long eachAlone(boolean isWrite, Access access) throws PvfsException {
    long[] bytes = {0};
    agree(errnoOf(() -> bytes[0] = alone(isWrite, access)), isWrite ? "write" : "read");
    return bytes[0];
  }

  private long inTwoPhases(boolean isWrite, Access access, long[][] all) throws PvfsException {
    long begin = Stream.of(all).filter(each -> each[1] >= 0).mapToLong(each -> each[1]).min().orElseThrow();
    long end = Stream.of(all).mapToLong(each -> each[2]).max().orElseThrow();
    int errno = new TwoPhase(ranks, file, aggregators, buffer, hints.cbBufferBytes(), isWrite).run(access, begin, end);
    if (isWrite) {
      agree(errno, "write");
      return access.bytes();
    }
    long[] length = {0};
    int own = errno != Errno.OK || ranks.rank() > 0 ? errno : errnoOf(() -> length[0] = file.size());
    long[][] said = Numbers.gather(ranks, own, length[0]);
    if (firstErrno(said, 0) != Errno.OK) {
      throw new PvfsException(firstErrno(said, 0), "read " + path);
    }
    return access.bytesBefore(said[0][1]);
  }

  // The whole file.

  /** Bytes of the file now. */
  public long size() throws PvfsException {
    return file.size();
  }

  /** Cuts or extends the file. Collective. */
  public void setSize(long bytes) throws PvfsException {
    ranks.barrier();
    agree(ranks.rank() > 0 ? Errno.OK : errnoOf(() -> file.truncate(bytes)), "truncate");
  }

  /** Returns when all that ranks wrote before is on the disks of the daemons. Collective. */
  public void sync() throws PvfsException {
    ranks.barrier();
    agree(ranks.rank() > 0 ? Errno.OK : errnoOf(file::sync), "sync");
  }

  /** Which bytes of the file a position of the view is, in etypes. */
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
    ranks.barrier();
    shared.close();
    int errno = errnoOf(file::close);
    agree(errno, "close");
    agree(deletesOnClose && ranks.rank() == 0 ? errnoOf(() -> files.unlink(path)) : Errno.OK, "unlink");
  }
}

package dev.weft.fabric.packet;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The bytes that a packet carries: a reference, in one or more pieces, to bytes that another element owns. Inside one JVM, the
 * pieces are the sender's registered memory. Behind a trunk, they are the trunk's receive buffer, or the registered memory of
 * the sender in another process ({@link PayloadSource}). Nothing is copied until the target HCA places the bytes.
 *
 * <p>Ownership: the sender keeps the bytes unchanged until the packet is acknowledged; a trunk keeps its buffer until {@link
 * #release()}. The element that takes a packet out of the fabric (an HCA after placing it, or a port that discards it) calls
 * {@link Packet#release()} exactly once. A piece may have a {@link Loan}. After that has ended, nothing accesses the bytes, and a copy fails
 * with {@link PayloadLostException}. Immutable; any thread that may read the segments may read a payload.
 */
public class Payload {
  /** No bytes at all. */
  public static final Payload EMPTY = new Payload(MemorySegment.NULL, 0, 0, null, null, null);

  private final MemorySegment segment;
  private final long offset;
  private final int pieceLength;
  private final int totalLength;
  private final Payload next;
  private final Runnable onRelease;
  /** The loan of this piece; null if its bytes stay valid until the packet is released. */
  private final Loan loan;

  private Payload(MemorySegment segment, long offset, int length, Payload next, Runnable onRelease, Loan loan) {
    this.loan = loan;
    this.segment = segment;
    this.offset = offset;
    this.pieceLength = length;
    this.next = next;
    this.totalLength = length + (next == null ? 0 : next.totalLength);
    this.onRelease = onRelease;
  }

  /** A piece in another process; its offset is the address of the bytes there. */
  private static final class Far extends Payload {
    private final PayloadSource source;

    Far(PayloadSource source, long address, int length, Payload next, Runnable onRelease) {
      super(MemorySegment.NULL, address, length, next, onRelease, null);
      this.source = source;
    }

    @Override
    Payload part(int from, int length, Payload tail, Runnable owner) {
      return new Far(source, offset() + from, length, tail, owner);
    }

    @Override
    boolean isNative() {
      return false;
    }

    @Override
    int copyPiece(int skip, MemorySegment target, long to, int length) {
      try {
        return source.copyTo(offset() + skip, target, to, length);
      } catch (PayloadLostException lost) {
        if (!MissingPages.none(target, to, length)) {
          throw MissingPages.target(length);
        }
        throw lost;
      }
    }

    @Override
    boolean hasPages() {
      return true;
    }
  }

  /** A piece that others may read until a lease is revoked. */
  private static final class Lent extends Payload {
    private final ReadLease lease;
    private final int epoch;

    Lent(Payload bytes, int from, int length, Payload next, Runnable onRelease, ReadLease lease, int epoch) {
      super(bytes.segment, bytes.offset + from, length, next, onRelease, bytes.loan);
      this.lease = lease;
      this.epoch = epoch;
    }

    @Override
    Payload part(int from, int length, Payload tail, Runnable owner) {
      return new Lent(this, from, length, tail, owner, lease, epoch);
    }

    @Override
    public ReadLease lease() {
      return lease;
    }

    @Override
    public int epoch() {
      return epoch;
    }

    @Override
    void checkLent() {
      if (lease.epoch() != epoch) {
        throw new PayloadLostException("the request that " + length() + " bytes belong to has ended");
      }
    }
  }

  /** Returns the same bytes, which this and other processes may read in place until the lease is revoked. */
  public Payload lentBy(ReadLease lease) {
    return new Lent(this, 0, pieceLength, next, onRelease, lease, lease.epoch());
  }

  /** Returns the lease under which others may read the bytes in place; null if they may not. */
  public ReadLease lease() {
    return null;
  }

  /** Returns the lease's epoch number when the bytes were lent; 0 without a lease. */
  public int epoch() {
    return 0;
  }

  /** Returns a part of this piece, followed by {@code tail}, with another owner. */
  Payload part(int from, int length, Payload tail, Runnable owner) {
    return new Payload(segment, offset + from, length, tail, owner, loan);
  }

  /** Whether the bytes of this piece have an address in this process. */
  boolean isNative() {
    return segment.isNative();
  }

  /** Makes one piece: {@code length} bytes of {@code segment} from {@code offset}. */
  public static Payload of(MemorySegment segment, long offset, int length) {
    Objects.checkFromIndexSize(offset, length, segment.byteSize());
    return length == 0 ? EMPTY : new Payload(segment, offset, length, null, null, null);
  }

  /** Makes one piece. {@code onRelease} tells its owner when the packet has left the fabric. */
  public static Payload of(MemorySegment segment, long offset, int length, Runnable onRelease) {
    Objects.checkFromIndexSize(offset, length, segment.byteSize());
    return new Payload(segment, offset, length, null, onRelease, null);
  }

  /** Makes a piece that is followed by {@code tail}; used for scatter/gather lists. */
  public static Payload of(MemorySegment segment, long offset, int length, Payload tail) {
    Objects.checkFromIndexSize(offset, length, segment.byteSize());
    return new Payload(segment, offset, length, tail, null, null);
  }

  /** Makes a piece that is followed by {@code tail} or nothing. {@code onRelease} tells its owner when the packet has left the fabric. */
  public static Payload of(MemorySegment segment, long offset, int length, Payload tail, Runnable onRelease) {
    Objects.checkFromIndexSize(offset, length, segment.byteSize());
    return new Payload(segment, offset, length, tail, onRelease, null);
  }

  /** Does the same with memory that its owner may take back before the packet has left the fabric; {@code loan} is null if the owner never does. */
  public static Payload of(MemorySegment segment, long offset, int length, Payload tail, Runnable onRelease, Loan loan) {
    Objects.checkFromIndexSize(offset, length, segment.byteSize());
    return new Payload(segment, offset, length, tail, onRelease, loan);
  }

  /** Makes a piece in the memory of another process that is followed by {@code tail} or nothing. */
  public static Payload of(PayloadSource source, long address, int length, Payload tail, Runnable onRelease) {
    return new Far(source, address, length, tail, onRelease);
  }

  /**
   * Returns the same bytes for {@code holders} packets that travel and are released separately. The owner is told at the last release.
   * All releases must be on one thread.
   */
  public Payload sharedBy(int holders) {
    if (onRelease == null || holders == 1) {
      return this;
    }
    int[] left = {holders};
    return part(0, pieceLength, next, () -> {
      if (--left[0] == 0) {
        onRelease.run();
      }
    });
  }

  /**
   * Returns bytes {@code from} to {@code from + length} of this payload, for a packet of their own. The owner is not told of its release; for
   * that, see {@link #sharedBy}.
   */
  public Payload slice(int from, int length) {
    Objects.checkFromIndexSize(from, length, totalLength);
    if (length == 0) {
      return EMPTY;
    }
    Payload piece = this;
    int skip = from;
    while (skip >= piece.pieceLength) {
      skip -= piece.pieceLength;
      piece = piece.next;
    }
    int count = Math.min(length, piece.pieceLength - skip);
    Payload tail = count == length ? null : piece.next.slice(0, length - count);
    return piece.part(skip, count, tail, null);
  }

  /** Returns the same bytes with another owner that is told of the release; null for none. */
  public Payload ownedBy(Runnable owner) {
    return part(0, pieceLength, next, owner);
  }

  /** Returns the bytes of both, one after the other, for one packet. Both owners are told of its release. */
  public static Payload join(Payload first, Payload second) {
    Runnable owners = first.onRelease == null ? second.onRelease : second.onRelease == null ? first.onRelease : () -> {
      first.onRelease.run();
      second.onRelease.run();
    };
    return chain(first, second).ownedBy(owners);
  }

  private static Payload chain(Payload first, Payload last) {
    return first.part(0, first.pieceLength, first.next == null ? last : chain(first.next, last), null);
  }

  /** Returns the length in bytes of all pieces together. */
  public int length() {
    return totalLength;
  }

  /** Throws PayloadLostException if the bytes were lent under a lease that has been revoked. */
  void checkLent() {}

  /** Returns the number of pieces if all bytes have an address in this process, so that another process could find them; otherwise -1. */
  public int nativePieces() {
    int count = 0;
    for (Payload piece = this; piece != null; piece = piece.next) {
      if (!piece.isNative()) {
        return -1;
      }
      count++;
    }
    return count;
  }

  /** Whether the owner of all bytes still has them and has not taken them back. */
  public boolean isReadable() {
    for (Payload piece = this; piece != null; piece = piece.next) {
      if (piece.isTakenBack() || !piece.segment.scope().isAlive()) {
        return false;
      }
    }
    return true;
  }

  /** Whether the bytes, as far as this process can tell, have pages and can be copied. Touches each page. */
  public boolean isPresent() {
    for (Payload piece = this; piece != null; piece = piece.next) {
      if (!piece.hasPages()) {
        return false;
      }
    }
    return true;
  }

  /** Whether the bytes of this piece have pages. */
  boolean hasPages() {
    return MissingPages.none(segment, offset, pieceLength);
  }

  private boolean isTakenBack() {
    return loan != null && loan.isEnded();
  }

  /** Returns the loan under which the bytes of the first piece may be used; null if they stay valid until the release. */
  public Loan loan() {
    return loan;
  }

  /** Whether an owner is told of the release. */
  public boolean hasOwner() {
    return onRelease != null;
  }

  /** Returns the segment of the first piece; it is empty if the bytes are in another process. For the other pieces, see {@link #next()}. */
  public MemorySegment segment() {
    return segment;
  }

  /** Returns the offset in bytes of the first piece in {@link #segment()}. For a piece in another process, returns its address there. */
  public long offset() {
    return offset;
  }

  /** Returns the length in bytes of the first piece. */
  public int pieceLength() {
    return pieceLength;
  }

  /** Returns the remaining pieces, or null. */
  public Payload next() {
    return next;
  }

  /**
   * Copies all pieces, in order, to {@code target} from {@code targetOffset}.
   *
   * @param copies counts the bytes copied
   * @throws PayloadLostException if the owner of a piece has taken it back, its lease was revoked, it is in another process and cannot be read any
   *     more, or it has no pages any more
   * @throws TargetLostException if the target has no pages any more
   * @throws IllegalStateException if the owner freed a piece, or the target, meanwhile
   * @throws IndexOutOfBoundsException if the target is too short
   */
  public void copyTo(MemorySegment target, long targetOffset, CopyCounter copies) {
    checkLent();
    long to = targetOffset;
    for (Payload piece = this; piece != null; piece = piece.next) {
      copies.add(piece.copyPiece(0, target, to, piece.pieceLength));
      to += piece.pieceLength;
    }
  }

  int copyPiece(int skip, MemorySegment target, long to, int length) {
    if (isTakenBack()) {
      throw new PayloadLostException("the owner of " + totalLength + " bytes has taken them back");
    }
    try {
      MemorySegment.copy(segment, offset + skip, target, to, length);
      MissingPages.raise();
    } catch (InternalError error) {
      throw MissingPages.ofCopy(error, segment, offset + skip, length);
    }
    return length;
  }

  /**
   * Copies {@code length} bytes from {@code from} (counted over all pieces) to {@code target}.
   *
   * @param copies counts the bytes copied
   * @throws PayloadLostException if the owner of a piece has taken it back, its lease was revoked, it is in another process and cannot be read any
   *     more, or it has no pages any more
   * @throws TargetLostException if the target has no pages any more
   * @throws IllegalStateException if the owner freed a piece, or the target, meanwhile
   * @throws IndexOutOfBoundsException if the range is not inside this payload or the target is too short
   */
  public void copyTo(int from, MemorySegment target, long targetOffset, int length, CopyCounter copies) {
    Objects.checkFromIndexSize(from, length, totalLength);
    checkLent();
    int skip = from;
    int left = length;
    long to = targetOffset;
    for (Payload piece = this; left > 0; piece = piece.next) {
      if (skip >= piece.pieceLength) {
        skip -= piece.pieceLength;
        continue;
      }
      int count = Math.min(left, piece.pieceLength - skip);
      copies.add(piece.copyPiece(skip, target, to, count));
      to += count;
      left -= count;
      skip = 0;
    }
  }

  /** Gives the bytes back: tells their owner, if there is one. */
  public void release() {
    if (onRelease != null) {
      onRelease.run();
    }
  }
}

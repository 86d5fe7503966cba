package dev.weft.pvfs.types;

import java.util.Arrays;

/**
 * A type that repeats without end from a displacement on, seen as a stream of its data. A search in the pieces of one element finds any part of the
 * stream; nothing walks there. Any thread.
 */
public final class FlatType {
  private final long displacement;
  private final long extent;
  private final long size;
  private final long[] offsets;
  private final long[] lengths;
  /** Bytes of the stream before each piece, within one element. */
  private final long[] before;

  /** @throws IllegalArgumentException if the displacement is negative or the type has no bytes or no extent */
  public FlatType(long displacement, Datatype type) {
    if (displacement < 0 || type.size() == 0) {
      throw new IllegalArgumentException(displacement < 0 ? "a displacement of " + displacement + ", must be 0 or more" : "a data type without bytes: " + type);
    }
    if (type.extent() == 0) {
      throw new IllegalArgumentException("a data type that repeats in one place, its extent is 0: " + type);
    }
    Regions regions = new Regions();
    type.flatten(regions);
    this.displacement = displacement;
    this.extent = type.extent();
    this.size = type.size();
    this.offsets = regions.offsets();
    this.lengths = regions.lengths();
    this.before = new long[offsets.length];
    for (int i = 1; i < offsets.length; i++) {
      before[i] = before[i - 1] + lengths[i - 1];
    }
  }

  /** Bytes of data in one element of the type. */
  public long size() {
    return size;
  }

  /** Whether pieces ascend and no byte occurs twice. */
  public boolean isAscending() {
    long end = 0;
    for (int i = 0; i < offsets.length; i++) {
      if (offsets[i] < end) {
        return false;
      }
      end = offsets[i] + lengths[i];
    }
    return end <= extent + offsets[0];
  }

  /** Returns the offset of a byte of the stream. */
  public long offsetOf(long position) {
    int piece = pieceOf(position % size);
    return displacement + Math.addExact(Math.multiplyExact(position / size, extent), offsets[piece] + position % size - before[piece]);
  }

  private int pieceOf(long inType) {
    int found = Arrays.binarySearch(before, inType);
    return found >= 0 ? found : -found - 2;
  }

  /**
   * Finds the pieces of a part of the stream, up to a maximum number.
   *
   * @param position beginning of the part in the stream
   * @param bytes length of the part
   * @param to gets the pieces behind those that it has
   * @param piecesMax stops when {@code to} has so many pieces
   * @return how many bytes the added pieces cover: {@code bytes}, or less if there were too many pieces
   * @throws ArithmeticException if a piece lies beyond 2^63
   */
  public long pieces(long position, long bytes, Regions to, int piecesMax) {
    long tile = position / size;
    long inType = position % size;
    int piece = pieceOf(inType);
    long done = 0;
    while (done < bytes && to.count() < piecesMax) {
      long skip = inType - before[piece];
      long length = Math.min(bytes - done, lengths[piece] - skip);
      to.add(Math.addExact(displacement, Math.addExact(Math.multiplyExact(tile, extent), offsets[piece] + skip)), length);
      done += length;
      inType += length;
      if (inType == before[piece] + lengths[piece] && ++piece == offsets.length) {
        piece = 0;
        inType = 0;
        tile++;
      }
    }
    return done;
  }

  /** Returns how many bytes of the stream come before its first byte at or beyond {@code end}: the length of the view of a file of that length. */
  public long bytesBefore(long end) {
    if (end <= displacement) {
      return 0;
    }
    long reach = offsets[offsets.length - 1] + lengths[offsets.length - 1];
    long tile = end - displacement < reach ? 0 : (end - displacement - reach) / extent + 1; // Elements that lie before the end as a whole.
    long bytes = tile * size;
    long at = displacement + tile * extent;
    for (int i = 0; i < offsets.length; i++) {
      long has = Math.clamp(end - at - offsets[i], 0, lengths[i]);
      bytes += has;
      if (has < lengths[i]) {
        return bytes;
      }
    }
    return bytes;
  }
}

package dev.weft.pvfs.types;

/**
 * A logical partition of a file as in PVFS 1.x: groups of {@code groupBytes} bytes, {@code stride} bytes apart, from {@code offset} on. With
 * {@code groups} above 0, so many groups form a block, and blocks begin {@code groupStride} bytes apart. PVFS 1.x declares these two fields and does
 * not use them.
 *
 * @param offset of the first group, in bytes
 * @param groupBytes bytes of a group, 1 or more
 * @param stride from the beginning of a group to that of the next, at least {@code groupBytes}
 * @param groupStride from the beginning of a block to that of the next, at least a block; 0 without blocks
 * @param groups groups of a block; 0 without blocks
 */
public record Partition(long offset, long groupBytes, long stride, long groupStride, long groups) {
  public Partition {
    if (offset < 0 || groupBytes < 1 || stride < groupBytes) {
      throw new IllegalArgumentException("a partition from " + offset + " of groups of " + groupBytes + " bytes at distances of " + stride
          + ", must begin at 0 or later, have groups of 1 byte or more, and distances of at least a group");
    }
    boolean hasBlocks = groups != 0 || groupStride != 0;
    if (hasBlocks && (groups < 1 || groupStride < Checks.sum(Checks.times(groups - 1, stride), groupBytes))) {
      throw new IllegalArgumentException("a partition of blocks of " + groups + " groups at distances of " + groupStride
          + ", must have 1 group or more, and distances of at least a block; or 0 for both");
    }
  }

  /** A partition of groups without blocks. */
  public static Partition of(long offset, long groupBytes, long stride) {
    return new Partition(offset, groupBytes, stride, 0, 0);
  }

  /** Returns the type that repeats from {@link #offset} on. */
  public Datatype type() {
    Datatype group = Datatype.bytes(groupBytes);
    return groups == 0 ? group.resized(stride) : Datatype.strided(groups, 1, stride, group).resized(groupStride);
  }
}

package dev.weft.pvfs.types;

/**
 * A logical partition of a file as PVFS 1.x has it: from {@code offset} on, {@code groupBytes} at distances of {@code stride}. With {@code groups} above 0, so
 * many groups are a block, and blocks lie at distances of {@code groupStride}; PVFS 1.x names both and uses neither.
 *
 * @param offset of the first group, in bytes
 * @param groupBytes bytes of a group, 1 or more
 * @param stride from the beginning of a group to that of the next, at least {@code groupBytes}
 * @param groupStride from the beginning of a block to that of the next, at least a block; 0 without blocks
 * @param groups of a block; 0 without blocks
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

  /** Groups without blocks. */
  public static Partition of(long offset, long groupBytes, long stride) {
    return new Partition(offset, groupBytes, stride, 0, 0);
  }

  /** What repeats from {@link #offset} on. */
  public Datatype type() {
    Datatype group = Datatype.bytes(groupBytes);
    return groups == 0 ? group.resized(stride) : Datatype.strided(groups, 1, stride, group).resized(groupStride);
  }
}

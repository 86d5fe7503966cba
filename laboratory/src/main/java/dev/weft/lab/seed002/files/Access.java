package dev.weft.lab.seed002.files;

import java.lang.foreign.MemorySegment;

/**
 * One read or write of a program.
 *
 * @param memory as long as the ranges of the file together
 */
record Access(boolean isWrite, long[] offsets, long[] lengths, MemorySegment memory) {
  static Access of(boolean isWrite, long offset, MemorySegment memory) {
    return new Access(isWrite, new long[] {offset}, new long[] {memory.byteSize()}, memory);
  }
}

package dev.weft.hca.netvm;

import java.util.List;

/**
 * A host's virtual memory at one moment, for inspection.
 *
 * @param waitingPages pages that wait for a frame
 * @param writingPages pages being written to the store
 * @param faults pages that were wanted and absent
 * @param failures pages that the store lost
 */
public record VmSnapshot(int pageBytes, int frames, int freeFrames, int waitingPages, int writingPages, long faults, long pageIns,
    long pageOuts, long evictions, long failures, List<Space> spaces) {

  /** An address space. {@code lockedPages} are those that a transfer has locked. */
  public record Space(int number, long base, int mappedPages, int residentPages, int dirtyPages, int lockedPages) {}
}

package dev.weft.hca.netvm;

import java.util.List;

/**
 * A snapshot of a host's virtual memory, for inspection.
 *
 * @param waitingPages number of pages that wait for a frame
 * @param writingPages number of pages being written to the store
 * @param faults number of requests for absent pages
 * @param failures number of pages that the store has lost
 */
public record VmSnapshot(int pageBytes, int frames, int freeFrames, int waitingPages, int writingPages, long faults, long pageIns,
    long pageOuts, long evictions, long failures, List<Space> spaces) {

  /** An address space. {@code lockedPages} is the number of pages that transfers have locked. */
  public record Space(int number, long base, int mappedPages, int residentPages, int dirtyPages, int lockedPages) {}
}

package dev.weft.hca.netvm;

import java.util.List;

/**
 * A part of the shadow page tables, for inspection. Each entry is consistent; different entries may be from different moments.
 *
 * @param total number of mapped pages
 * @param offset index of the first page shown, counted over all address spaces
 */
public record PageTableSnapshot(int total, int offset, List<Entry> entries) {
  /**
   * A mapped page.
   *
   * @param space number of the address space; {@code page} is the number of the page in it
   * @param frame number of its frame, or -1 while it is absent; then the flags are false
   * @param locks number of locks that transfers hold on it
   * @param generation how often it was mapped or unmapped, modulo 256
   */
  public record Entry(int space, int page, long address, int frame, boolean dirty, boolean referenced, int locks, int generation) {}
}

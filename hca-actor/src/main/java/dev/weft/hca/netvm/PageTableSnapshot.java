package dev.weft.hca.netvm;

import java.util.List;

/**
 * Part of a shadow page table, for inspection; each entry is true at some moment.
 *
 * @param total pages that are mapped
 * @param offset of the first one shown, counted over all address spaces
 */
public record PageTableSnapshot(int total, int offset, List<Entry> entries) {
  /**
   * A mapped page.
   *
   * @param space number of the address space, and {@code page} its number there
   * @param frame where it is, or -1 while it is absent; the flags are false then
   * @param locks transfers that hold it now
   * @param generation how often it was mapped or unmapped, modulo 256
   */
  public record Entry(int space, int page, long address, int frame, boolean dirty, boolean referenced, int locks, int generation) {}
}

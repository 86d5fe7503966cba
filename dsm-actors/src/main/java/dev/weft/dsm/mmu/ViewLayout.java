package dev.weft.dsm.mmu;

/**
 * The addresses of an array's elements in an application's memory. Each minipage starts at a page and has pages of its own; the rest of its last page
 * is unused. If minipages are whole pages, elements are contiguous as in any array.
 *
 * @param bytes bytes of the array, a multiple of 8
 * @param strideBytes bytes of a minipage; the last one may be shorter
 * @param pageBytes bytes of a page of this machine
 */
public record ViewLayout(long bytes, long strideBytes, int pageBytes) {
  /** Bytes from the start of one minipage to the start of the next: whole pages. */
  public long viewStrideBytes() {
    return roundedToPages(strideBytes);
  }

  private long roundedToPages(long size) {
    return (size + pageBytes - 1) / pageBytes * pageBytes;
  }

  public int minipages() {
    return Math.toIntExact((bytes + strideBytes - 1) / strideBytes);
  }

  /** Bytes of address space that the array takes. */
  public long viewBytes() {
    return Math.multiplyExact(viewStrideBytes(), minipages());
  }

  /** Offset in the view of a byte of the array. */
  public long offsetOf(long byteOfArray) {
    return byteOfArray / strideBytes * viewStrideBytes() + byteOfArray % strideBytes;
  }

  /** Offset of a minipage in the view. */
  long startOf(int index) {
    return index * viewStrideBytes();
  }

  /** Bytes of the pages of a minipage. */
  long pagesBytes(int index) {
    return roundedToPages(contentBytes(index));
  }

  /** Bytes of a minipage. */
  long contentBytes(int index) {
    return Math.min(strideBytes, bytes - index * strideBytes);
  }
}

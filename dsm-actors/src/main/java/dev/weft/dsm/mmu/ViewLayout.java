package dev.weft.dsm.mmu;

/**
 * Where the elements of an array are in an application's memory: each minipage has pages of its own, begins at a page, and what is left of its last page
 * belongs to nobody. Where minipages are of whole pages, elements lie one after the other as in any array.
 *
 * @param bytes of the array, a multiple of 8
 * @param strideBytes of a minipage; the last one may be shorter
 * @param pageBytes of a page of this machine
 */
public record ViewLayout(long bytes, long strideBytes, int pageBytes) {
  /** Bytes from the beginning of one minipage to the next one's: whole pages. */
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

  /** Where a byte of the array is, from the beginning of the view. */
  public long offsetOf(long byteOfArray) {
    return byteOfArray / strideBytes * viewStrideBytes() + byteOfArray % strideBytes;
  }

  /** Where a minipage begins. */
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

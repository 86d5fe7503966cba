package dev.weft.pvfs.mount;

/** The length, as the daemons know it, of a file that only this mount writes. Any thread. */
final class SoleWriter {
  private long bytes;

  SoleWriter(long bytes) {
    this.bytes = bytes;
  }

  synchronized long bytes() {
    return bytes;
  }

  /** The daemons have answered a write that ends there. */
  synchronized void extend(long end) {
    bytes = Math.max(bytes, end);
  }

  /** The daemons have cut the file. */
  synchronized void cut(long length) {
    bytes = length;
  }
}

package dev.weft.pvfs.mount;

/** The length of a file that only this mount writes: what daemons would say. Any thread. */
final class SoleWriter {
  private long bytes;

  SoleWriter(long bytes) {
    this.bytes = bytes;
  }

  synchronized long bytes() {
    return bytes;
  }

  /** Daemons have answered a write that ends there. */
  synchronized void extend(long end) {
    bytes = Math.max(bytes, end);
  }

  /** They have cut the file. */
  synchronized void cut(long length) {
    bytes = length;
  }
}

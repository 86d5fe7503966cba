package dev.weft.pager.nbd;

/**
 * One client request. One or more {@link Part}s answer it. The fields below the empty line belong to the thread that holds the
 * right to write replies.
 */
final class Request {
  final int type;
  final int flags;
  final long cookie;
  final long offset;
  final long length;
  /** The number of parts; set before the last part is submitted, so that the thread that writes the last part knows it. */
  volatile int partCount = Integer.MAX_VALUE;

  int partsWritten;
  int errno;
  boolean streamStarted;

  Request(int type, int flags, long cookie, long offset, long length) {
    this.type = type;
    this.flags = flags;
    this.cookie = cookie;
    this.offset = offset;
    this.length = length;
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }
}

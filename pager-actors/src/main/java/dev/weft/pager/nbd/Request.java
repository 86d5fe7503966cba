package dev.weft.pager.nbd;

/**
 * One client request. It is answered by one or more {@link Part}s; the fields below the line belong to whoever holds the
 * right to write the replies.
 */
final class Request {
  final int type;
  final int flags;
  final long cookie;
  final long offset;
  final long length;
  /** Parts of the request; set before the last of them is submitted, so that whoever writes that one knows it. */
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

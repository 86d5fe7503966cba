package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;

/** Ends an operation inside of the name space, which undoes it and answers the number; nobody else sees it. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int errno;

  Refusal(int errno) {
    super(Errno.name(errno), null, false, false);
    this.errno = errno;
  }

  int errno() {
    return errno;
  }

  static void unless(boolean good, int errno) {
    if (!good) {
      throw new Refusal(errno);
    }
  }
}

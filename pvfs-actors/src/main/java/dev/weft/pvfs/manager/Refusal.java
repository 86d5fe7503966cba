package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;

/** Aborts and undoes an operation within the name space, and carries its errno. Never leaves this package. */
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

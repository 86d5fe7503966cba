package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;

/**
 * Outcome of an operation.
 *
 * @param errno {@link Errno#OK}, or why nothing was done
 * @param value null unless it is OK, and where there is nothing to say
 */
public record Result<T>(int errno, T value) {
  public boolean isOk() {
    return errno == Errno.OK;
  }

  static <T> Result<T> ok(T value) {
    return new Result<>(Errno.OK, value);
  }

  static <T> Result<T> error(int errno) {
    return new Result<>(errno, null);
  }
}

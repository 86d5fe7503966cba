package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;

/**
 * Outcome of an operation.
 *
 * @param errno {@link Errno#OK}, or the error; then nothing was done
 * @param value null after an error, or if the operation returns nothing
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

package dev.weft.tripwire.file;

/** What became of a request. */
public enum FileStatus {
  OK,
  /** There is no file of that name. */
  NO_ENTRY,
  /** There is a file of that name already. */
  EXISTS,
  /** The handle, or a directory on the way, is no directory. */
  NOT_DIRECTORY,
  /** The handle is a directory. */
  IS_DIRECTORY,
  /** The directory is not empty. */
  NOT_EMPTY,
  /** The server may not, or the name leads out of the exported directory. */
  ACCESS,
  /** The request makes no sense. */
  INVALID,
  NAME_TOO_LONG,
  NO_SPACE,
  /** The handle is of an earlier server, of a file that is gone, or was not used for too long: look the file up again. */
  STALE,
  /** A file that is neither regular nor a directory. */
  UNSUPPORTED,
  /** The server's operating system failed. */
  IO,
  /** The server has as many clients as it may. */
  BUSY,
  /** No answer came in time; the request may have been carried out. */
  TIMED_OUT,
  /** The connection ended; the request may have been carried out. */
  DISCONNECTED;

  private static final FileStatus[] ALL = values();

  static FileStatus of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : IO;
  }
}

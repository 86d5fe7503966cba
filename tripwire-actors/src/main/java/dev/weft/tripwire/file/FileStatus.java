package dev.weft.tripwire.file;

/** The result of a request. */
public enum FileStatus {
  OK,
  /** There is no file of that name. */
  NO_ENTRY,
  /** There is a file of that name already. */
  EXISTS,
  /** The handle, or a component of the path, is not a directory. */
  NOT_DIRECTORY,
  /** The handle is a directory. */
  IS_DIRECTORY,
  /** The directory is not empty. */
  NOT_EMPTY,
  /** The server lacks the permission, or the name leads out of the exported directory. */
  ACCESS,
  /** The request is malformed. */
  INVALID,
  NAME_TOO_LONG,
  NO_SPACE,
  /** The handle is of an earlier server, of a removed file, or was unused for too long: look the file up again. */
  STALE,
  /** A file that is neither regular nor a directory. */
  UNSUPPORTED,
  /** The server's operating system failed. */
  IO,
  /** The server has its maximum number of clients. */
  BUSY,
  /** No reply came in time; the request may have been carried out. */
  TIMED_OUT,
  /** The connection ended; the request may have been carried out. */
  DISCONNECTED;

  private static final FileStatus[] ALL = values();

  static FileStatus of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : IO;
  }
}

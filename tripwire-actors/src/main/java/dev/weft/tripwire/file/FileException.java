package dev.weft.tripwire.file;

import java.io.IOException;

/** A request to a file server failed. */
@SuppressWarnings("serial")
public final class FileException extends IOException {
  private final FileStatus status;

  public FileException(FileStatus status, String message) {
    super(message);
    this.status = status;
  }

  public FileStatus status() {
    return status;
  }
}

package dev.weft.lab.trials.dsm.check;

import java.io.IOException;

/** A text is not a valid history; the message names the line and the reason. */
public final class HistoryFormatException extends IOException {
  private final int line;

  HistoryFormatException(String source, int line, String reason) {
    super(source + ", line " + line + ": " + reason);
    this.line = line;
  }

  /** The line, from 1. */
  public int line() {
    return line;
  }
}

package dev.weft.launcher.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;

/** The standard output of this process, which remembers what a {@link PrintWriter} keeps to itself: why something could not be written. One thread. */
public final class StandardOutput extends FilterOutputStream {
  private IOException failure;

  public StandardOutput() {
    this(new FileOutputStream(FileDescriptor.out));
  }

  StandardOutput(OutputStream to) {
    super(to);
  }

  /** Writes text here, as the console or the locale wants it. */
  public PrintWriter writer() {
    String encoding = System.getProperty("stdout.encoding");
    return new PrintWriter(this, true, encoding == null ? Charset.defaultCharset() : Charset.forName(encoding));
  }

  @Override
  public void write(int single) throws IOException {
    write(new byte[] {(byte) single}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    try {
      out.write(bytes, from, count);
    } catch (IOException failed) {
      failure = failure == null ? failed : failure;
      throw failed;
    }
  }

  /** Why something could not be written. Null if all was, or if the reader has gone away: a reader such as head(1) wants no more. */
  public String problem() {
    return failure == null || "Broken pipe".equals(failure.getMessage()) ? null : "standard output cannot be written: " + failure.getMessage();
  }
}

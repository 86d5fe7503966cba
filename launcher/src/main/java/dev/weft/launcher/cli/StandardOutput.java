package dev.weft.launcher.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;

/** The standard output of this process. It remembers the reason of a failed write, which a {@link PrintWriter} does not report. One thread. */
public final class StandardOutput extends FilterOutputStream {
  private IOException failure;

  public StandardOutput() {
    this(new FileOutputStream(FileDescriptor.out));
  }

  StandardOutput(OutputStream to) {
    super(to);
  }

  /** Returns a writer to this, with the charset of the console or the locale. */
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

  /** Returns why a write failed; null if none failed, or if the reader has closed the pipe, as head(1) does when it has read enough. */
  public String problem() {
    return failure == null || "Broken pipe".equals(failure.getMessage()) ? null : "standard output cannot be written: " + failure.getMessage();
  }
}

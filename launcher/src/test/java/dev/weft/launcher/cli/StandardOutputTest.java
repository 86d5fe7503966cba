package dev.weft.launcher.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import org.junit.jupiter.api.Test;

class StandardOutputTest {
  private static StandardOutput failing(String why) {
    return new StandardOutput(new OutputStream() {
      @Override
      public void write(int single) throws IOException {
        throw new IOException(why);
      }
    });
  }

  @Test
  void shouldWriteWhatItIsGiven() {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    StandardOutput out = new StandardOutput(written);
    PrintWriter writer = out.writer();
    writer.print("one\n");
    writer.flush();
    assertEquals("one\n", written.toString());
    assertNull(out.problem());
  }

  @Test
  void shouldSayWhyItCouldNotWrite() {
    StandardOutput out = failing("No space left on device");
    PrintWriter writer = out.writer();
    writer.println("lost");
    writer.println("more");
    assertEquals("standard output cannot be written: No space left on device", out.problem());
  }

  @Test
  void shouldNotComplainOfAReaderThatHasGone() {
    StandardOutput out = failing("Broken pipe");
    out.writer().println("unread");
    assertNull(out.problem());
  }
}

package dev.weft.fabric.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The user that this process runs as. Any thread. */
public final class OwnUser {
  private OwnUser() {}

  /** Returns the user's number. The user's name would not be enough: it comes from a property, and two numbers may have the same name. */
  public static int id() throws IOException {
    Path self = Path.of("/proc/self");
    if (Files.exists(self)) {
      return (int) Files.getAttribute(self, "unix:uid");
    }
    Path probe = Files.createTempFile("weft-", ".user");
    try {
      return (int) Files.getAttribute(probe, "unix:uid");
    } finally {
      Files.delete(probe);
    }
  }
}

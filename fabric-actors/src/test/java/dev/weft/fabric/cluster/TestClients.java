package dev.weft.fabric.cluster;

import io.aeron.Aeron;
import java.nio.file.Path;

/** Aeron clients of tests. Aeron's own handler of errors ends the JVM when a driver is late, and with it all tests. */
public final class TestClients {
  private TestClients() {}

  public static Aeron.Context context(Path driverDirectory) {
    return new Aeron.Context().aeronDirectoryName(driverDirectory.toString()).errorHandler(Throwable::printStackTrace);
  }

  public static Aeron connect(Path driverDirectory) {
    return Aeron.connect(context(driverDirectory));
  }
}

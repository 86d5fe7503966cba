package dev.weft.launcher.cluster;

import dev.weft.service.process.CaptureKey;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;

/** Records this process, as the JVMs of a fabric do, in the state directory that commands look into. */
public final class Recorded {
  private Recorded() {}

  /** As the JVM of {@code weft up}. */
  public static void up(String address, URI http, CaptureKey key) throws Exception {
    write(RunState.Kind.UP, address, http, key);
  }

  /** As one that has joined. */
  public static void joined(String address, URI http, CaptureKey key) throws Exception {
    write(RunState.Kind.JOIN, address, http, key);
  }

  /** As a JVM that {@code weft up} has started. */
  public static void member(String address, URI http, CaptureKey key) throws Exception {
    write(RunState.Kind.MEMBER, address, http, key);
  }

  private static void write(RunState.Kind kind, String address, URI http, CaptureKey key) throws Exception {
    RunState.ofThisProcess(kind, address, http, Path.of("/nowhere"), key, Map.of()).write(StateDirectory.open().path());
  }
}

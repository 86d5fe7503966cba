package dev.weft.pvfs.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.tcp.TcpAddress;
import dev.weft.pvfs.tcp.TcpFileSystem;
import dev.weft.pvfs.tcp.TcpListener;
import dev.weft.pvfs.tcp.TcpSettings;
import dev.weft.pvfs.wire.Caller;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code weft pvfs ping}, {@code statfs}, {@code top} and {@code fsck} from outside of the fabric. */
@Tag("actor")
@Timeout(180)
class ProbesOverTcpTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final TcpSettings SETTINGS = new TcpSettings("127.0.0.1:0", "", false, 16, 5 * SECOND_NS, 30 * SECOND_NS);

  @TempDir private Path directory;

  /** What a command says, and how it ends. */
  private record Said(int exitCode, String out, String err) {}

  private static Said run(Object command, String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = new CommandLine(command).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    line.setExecutionExceptionHandler((failed, _, _) -> {
      err.append(failed.getMessage());
      return failed instanceof CommandFailure ? ExitCode.FAILURE : ExitCode.USAGE;
    });
    return new Said(line.execute(words), out.toString(), err.toString());
  }

  @Test
  void shouldSayWhoIsReachedAndWhatRoomThereIs() throws Exception {
    FabricSecret secret = FabricSecret.readOrMake(directory.resolve("secret"));
    String file = "--secret-file=" + directory.resolve("secret");
    try (FileSystemCluster cluster = new FileSystemCluster(2, ""); TcpListener listener = TcpListener.open(SETTINGS, secret, _ -> null)) {
      cluster.letIn(listener, listener);
      cluster.states(); // Behind that.
      try (TcpFileSystem files = TcpFileSystem.connect(TcpAddress.parse(listener.address()), secret, "manager", Caller.ROOT, ConfigFactory.empty())) {
        Probes probes = new Probes(files.fabric().system(), files.files(), "manager");
        probes.awaitDaemons();
        JsonNode parts = Asking.json(probes.ask(3)).path("parts");
        assertEquals(3, parts.size());
        parts.forEach(part -> assertTrue(part.path("reached").asBoolean(), part::toString));
        assertEquals(32L << 20, parts.path(1).path("totalBytes").asLong());
        OutsideLook look = new OutsideLook(0, parts, Map.of());
        List<String> text = OutsideLook.text(look.since(look));
        assertTrue(text.get(1).matches("io-0 +I/O daemon +\\d+ us +32.0 MiB +32.0 MiB"), text::toString);
        assertTrue(text.get(3).matches("manager +manager +\\d+ us +- +-"), text::toString);
        assertEquals(OutsideLook.MISSING, text.getLast());
      }
      Said wrong = run(new PvfsPingCommand(), "--tcp=127.0.0.1:1", file);
      assertEquals(ExitCode.FAILURE, wrong.exitCode());
      assertTrue(wrong.err().contains("does 'weft up --pvfs N --pvfs-tcp 127.0.0.1:1' run there?"), wrong::toString);
    }
  }

  @Test
  void shouldSayWhyADaemonIsNotReached() throws Exception {
    FabricSecret secret = FabricSecret.readOrMake(directory.resolve("secret"));
    try (FileSystemCluster cluster = new FileSystemCluster(1, ""); TcpListener listener = TcpListener.open(SETTINGS, secret, _ -> null);
        TcpListener nobody = TcpListener.open(SETTINGS, secret, _ -> null)) {
      cluster.letIn(listener, nobody); // The manager's listener knows no daemon.
      cluster.states();
      try (TcpFileSystem files = TcpFileSystem.connect(TcpAddress.parse(listener.address()), secret, "manager", Caller.ROOT, ConfigFactory.empty())) {
        Probes probes = new Probes(files.fabric().system(), files.files(), "manager");
        probes.awaitDaemons();
        JsonNode parts = Asking.json(probes.ask(1)).path("parts");
        assertTrue(!parts.path(0).path("reached").asBoolean() && !parts.path(0).path("why").asText().isEmpty(), parts::toString);
        assertTrue(parts.path(1).path("reached").asBoolean(), parts::toString);
      }
    }
  }

  @Test
  void shouldRefuseACheckFromOutsideWithTheReason() {
    Said refused = run(new PvfsFsckCommand(), "--tcp=127.0.0.1:7700");
    assertEquals(ExitCode.USAGE, refused.exitCode());
    assertTrue(refused.err().contains("fsck runs in the JVM of the manager"), refused::toString);
  }
}

package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.pager.RamBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("jvms")
@Timeout(180)
class ServerStartTest {
  @TempDir Path directory;

  @Test
  void shouldFailAtOnceAndNameTheFlagWhenTheJvmLacksIt() throws Exception {
    Path log = directory.resolve("log");
    Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
        System.getProperty("java.class.path"), RamNbdMain.class.getName(), "65536", "127.0.0.1:0")
        .redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertTrue(jvm.waitFor(90, TimeUnit.SECONDS), () -> "still running");
      assertNotEquals(0, jvm.exitValue());
      String out = Files.readString(log);
      assertTrue(out.contains("start the JVM with --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"), out);
    } finally {
      jvm.destroyForcibly();
    }
  }

  @Test
  void shouldRefuseConnectionsWhenTheAcceptThreadHasDied() throws Exception {
    try (RamBlockDevice device = new RamBlockDevice(65_536);
        NbdServer server = start(device, () -> new NoClassDefFoundError("injected"))) {
      String uri = server.uris().getFirst();
      try (NbdTestClient client = new NbdTestClient(uri)) {
        assertTrue(client.isClosedByServer());
      }
      Waits.until("the address to be closed", () -> {
        try (NbdTestClient client = new NbdTestClient(uri)) {
          return client.socket == null;
        } catch (IOException e) {
          return true;
        }
      });
      assertEquals(0, server.connectionCount());
    }
  }

  @Test
  void shouldGiveThePlaceBackAndGoOnWhenAConnectionCannotStart() throws Exception {
    AtomicInteger failures = new AtomicInteger(3);
    try (RamBlockDevice device = new RamBlockDevice(65_536);
        NbdServer server = start(device, () -> failures.getAndDecrement() > 0 ? new OutOfMemoryError("injected") : null)) {
      for (int i = 0; i < 3; i++) {
        try (NbdTestClient client = new NbdTestClient(server.uris().getFirst())) {
          assertTrue(client.isClosedByServer());
        }
      }
      try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).go("", false)) {
        assertEquals(0, client.write(0, new byte[10]));
      }
      assertEquals(0, server.refusedCount());
    }
  }

  @Test
  void shouldNameAnExportInTheAddressesOfItsOwn() throws Exception {
    Path socket = directory.resolve("s");
    try (RamBlockDevice one = new RamBlockDevice(65_536);
        RamBlockDevice two = new RamBlockDevice(4096);
        NbdServer server = NbdServer.start(NbdServing.settings("weft.pager.nbd.listen = [\"127.0.0.1:0\", \"unix:" + socket + "\"]"),
            List.of(new NbdExport("", "", one, false), new NbdExport("joined-1-4k", "", two, false)), System::nanoTime)) {
      String first = server.uris().getFirst();
      assertTrue(first.matches("nbd://127\\.0\\.0\\.1:[0-9]+"), first);
      assertEquals(List.of(first, "nbd+unix:///?socket=" + socket), server.uris(), "the default export has no name");
      assertEquals(List.of(first + "/joined-1-4k", "nbd+unix:///joined-1-4k?socket=" + socket), server.uris("joined-1-4k"));
      assertEquals(first + "/a%20b%2F", server.uris("a b/").getFirst());
    }
  }

  @Test
  void shouldEncodeThePathOfASocketInItsAddress() throws Exception {
    Path socket = directory.resolve("a b%ü+&");
    try (RamBlockDevice device = new RamBlockDevice(4096);
        NbdServer server = NbdServer.start(NbdServing.settings("weft.pager.nbd.listen = [\"unix:" + socket + "\"]"),
            List.of(new NbdExport("", "", device, false)), System::nanoTime)) {
      String uri = server.uris().getFirst();
      assertEquals("nbd+unix:///?socket=" + directory + "/a%20b%25%C3%BC%2B%26", uri);
      assertEquals("socket=" + socket, java.net.URI.create(uri).getQuery());
    }
  }

  private static NbdServer start(RamBlockDevice device, Supplier<Error> failure) throws IOException {
    return NbdServer.start(NbdServing.settings("weft.pager.nbd.connections-max = 1"), List.of(new NbdExport("", "", device, false)),
        System::nanoTime, connection -> {
          Error error = failure.get();
          if (error != null) {
            throw error;
          }
          return new Thread(connection);
        });
  }
}

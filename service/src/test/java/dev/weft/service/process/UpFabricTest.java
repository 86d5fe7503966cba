package dev.weft.service.process;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.AdmissionDesk;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.service.CommandFailure;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpFabricTest {
  @TempDir private Path temporary;

  @Test
  void shouldRefuseAFabricWithASecretBeforeAnybodyWaits() throws Exception {
    Path secret = Files.writeString(temporary.resolve("secret"), "s".repeat(40) + "\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    try (AdmissionDesk desk = AdmissionDesk.open(InetAddress.getLoopbackAddress(), 0, FabricSecret.read(secret).newKeys())) {
      String text = assertThrows(CommandFailure.class, () -> UpFabric.refuseSecret("127.0.0.1:" + desk.port())).getMessage();
      assertTrue(text.startsWith("the fabric at 127.0.0.1:" + desk.port() + " has a secret, and programs and mounts can join only a fabric without one;"),
          text);
    }
  }

  @Test
  void shouldRefuseAMediaDriverWithoutRoomForAFurtherJvm() throws Exception {
    UpFabric.requireSpace(temporary, ConfigFactory.load(), 0);
    String text = assertThrows(CommandFailure.class, () -> UpFabric.requireSpace(temporary, ConfigFactory.load(), 100_000_000)).getMessage();
    assertTrue(text.contains(" MiB for the connections of one more JVM, and " + temporary + " has "), text);
    assertTrue(text.contains("weft.fabric.trunk.ipc-term-length"), text);
  }

  @Test
  void shouldLetAFabricWithoutASecretPass() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    UpFabric.refuseSecret("127.0.0.1:" + port);
  }
}

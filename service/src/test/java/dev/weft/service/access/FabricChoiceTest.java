package dev.weft.service.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.AdmissionClient;
import dev.weft.fabric.admission.AdmissionDesk;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.StateDirectory;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FabricChoiceTest {
  private static final Config NONE = ConfigFactory.load();

  @TempDir private Path temporary;
  private StateDirectory states;
  /** Where a fabric would listen, so that the probe finds somebody. */
  private DatagramSocket listening;

  @BeforeEach
  void open() throws Exception {
    states = StateDirectory.open(temporary.resolve("state"));
    listening = new DatagramSocket(new InetSocketAddress("127.0.0.1", 0));
  }

  @AfterEach
  void close() {
    listening.close();
  }

  private static Config with(String settings) {
    return ConfigFactory.parseString(settings).withFallback(NONE);
  }

  @Test
  void shouldTakeWhatTheUserGivesBeforeTheSettings() throws Exception {
    String target = "127.0.0.1:" + listening.getLocalPort();
    Config set = with("weft.cluster.fabric = \"127.0.0.1:1\", weft.cluster.bind = \"192.0.2.1\"");
    FabricChoice given = FabricChoice.of(target, "127.0.0.2", null, set, states);
    assertEquals(target, given.target().seed());
    assertEquals("127.0.0.2", given.bind().host());
    FabricChoice ofSettings = FabricChoice.of(null, null, null, with("weft.cluster.fabric = \"" + target + "\", weft.cluster.bind = \"127.0.0.3\""), states);
    assertEquals(target, ofSettings.target().seed());
    assertEquals("127.0.0.3", ofSettings.bind().host());
    assertEquals("127.0.0.1", FabricChoice.of(target, null, null, NONE, states).bind().host(), "the address towards the fabric");
  }

  @Test
  void shouldNameWhatIsWrong() {
    assertThrows(IllegalArgumentException.class, () -> FabricChoice.of("a:b", null, null, NONE, states));
    String setting = assertThrows(CommandFailure.class, () -> FabricChoice.of(null, null, null, with("weft.cluster.fabric = \"a:b\""), states)).getMessage();
    assertEquals("weft.cluster.fabric: 'a:b' is not HOST[:PORT] with a port from 1 to 65535", setting);
    String none = assertThrows(CommandFailure.class, () -> FabricChoice.of(null, null, null, NONE, states)).getMessage();
    assertTrue(none.startsWith("no fabric is up (looked in " + states.path() + "); start one with './weft up', or name one"), none);
  }

  @Test
  void shouldAskForTheSecretOfTheFabricAtOnce() throws Exception {
    Path file = Files.writeString(temporary.resolve("secret"), "s".repeat(40) + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    HostAddress here = HostAddress.of("127.0.0.1");
    try (AdmissionDesk desk = AdmissionDesk.open(InetAddress.getLoopbackAddress(), 0, FabricSecret.read(file).newKeys())) {
      FabricTarget target = FabricTarget.of("127.0.0.1:" + desk.port());
      String text = assertThrows(CommandFailure.class, () -> JoinAdmission.ask(target, here, new SecretChoice(null, false))).getMessage();
      assertTrue(text.startsWith("the fabric at " + target + " admits only JVMs that have its secret"), text);
      assertTrue(JoinAdmission.ask(target, here, new SecretChoice(file, true)) != null, "the right one");
      assertTrue(AdmissionClient.ask(here.address(), new InetSocketAddress(here.address(), desk.port()), null, true)
          instanceof AdmissionClient.SecretWanted);
    }
  }
}

package dev.weft.service.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.service.CommandFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FabricTargetTest {
  @Test
  void shouldTakeTheFirstPortUnlessAnotherIsNamed() {
    assertEquals(new FabricTarget("host-1.example", 25_520), FabricTarget.of("host-1.example"));
    assertEquals(new FabricTarget("192.0.2.1", 4711), FabricTarget.of("192.0.2.1:4711"));
    assertEquals("127.0.0.1:25520", FabricTarget.of("127.0.0.1").seed());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "host:", "host:0", "host:65536", "host:123456", "host:port", ":1", "a b", "a:1:2", "[::1]:1"})
  void shouldRefuseOtherForms(String text) {
    String message = assertThrows(IllegalArgumentException.class, () -> FabricTarget.of(text)).getMessage();
    assertEquals("'" + text + "' is not HOST[:PORT] with a port from 1 to 65535", message);
  }

  @Test
  void shouldNameTheAddressThatIsReachable() {
    String wrong = assertThrows(CommandFailure.class,
        () -> FabricTarget.of("127.0.0.1:9").checkReachableFrom(new HostAddress(java.net.InetAddress.getByName("192.0.2.1")))).getMessage();
    assertTrue(wrong.contains("127.0.0.1 is this host itself") && wrong.contains("omit --bind"), wrong);
  }

  @Test
  void shouldSayThatThereIsNoSuchName() {
    String unknown = assertThrows(CommandFailure.class, () -> FabricTarget.of("weft.invalid").resolve()).getMessage();
    assertTrue(unknown.startsWith("this host cannot resolve the name 'weft.invalid'"), unknown);
  }
}

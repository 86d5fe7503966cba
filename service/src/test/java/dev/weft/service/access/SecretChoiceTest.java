package dev.weft.service.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.StateDirectory;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretChoiceTest {
  private static final Config NONE = ConfigFactory.parseString("weft.cluster.secret-file = \"\"");
  private static final Config SET = ConfigFactory.parseString("weft.cluster.secret-file = \"/set\"");

  @TempDir private Path temporary;
  private StateDirectory states;
  private HostAddress outside;
  private HostAddress loopback;

  @BeforeEach
  void open() throws Exception {
    states = StateDirectory.open(temporary.resolve("state"));
    outside = new HostAddress(InetAddress.getByName("192.0.2.1"));
    loopback = new HostAddress(InetAddress.getByName("127.0.0.1"));
  }

  @Test
  void shouldTakeTheOptionBeforeTheEnvironmentBeforeTheSetting() {
    assertEquals(new SecretChoice(Path.of("/option"), true), SecretChoice.forUp(Path.of("/option"), "/env", SET, states, loopback));
    assertEquals(new SecretChoice(Path.of("/env"), true), SecretChoice.forUp(null, "/env", SET, states, loopback));
    assertEquals(new SecretChoice(Path.of("/set"), true), SecretChoice.forUp(null, " ", SET, states, loopback));
    assertEquals(new SecretChoice(Path.of("/env"), true), SecretChoice.forJoin(null, "/env", SET, states));
  }

  @Test
  void shouldWantASecretOnlyBeyondLoopback() {
    assertNull(SecretChoice.forUp(null, null, NONE, states, loopback).newKeys());
    SecretChoice beyond = SecretChoice.forUp(null, null, NONE, states, outside);
    assertEquals(states.path().toAbsolutePath().resolve("secret"), beyond.file());
    assertNull(SecretChoice.forJoin(null, null, NONE, states).file(), "nobody has made it");
    assertNotNull(beyond.newKeys());
    assertEquals(beyond, SecretChoice.forJoin(null, null, NONE, states), "of the same user on the same host");
  }

  @Test
  void shouldNotMakeAFileThatWasAskedFor() {
    Path file = temporary.resolve("missing");
    SecretChoice asked = SecretChoice.forUp(file, null, NONE, states, outside);
    assertTrue(assertThrows(CommandFailure.class, asked::newKeys).getMessage().contains(file + " does not exist"));
    assertTrue(!Files.exists(file));
  }
}

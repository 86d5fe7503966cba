package dev.weft.service.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.service.CommandFailure;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class ControlSocketTest {
  @TempDir private Path directory;

  @Test
  void shouldCarryARequestAndItsAnswer() throws Exception {
    Path path = directory.resolve("s");
    try (ControlSocket _ = ControlSocket.open(path, Map.of("say", words -> List.of("said " + words, "twice"),
        "fail", words -> {
          throw new CommandFailure("not today");
        }))) {
      assertEquals(List.of("said [a, b]", "twice"), ControlSocket.ask(path, List.of("say", "a", "b")));
      assertEquals("not today", assertThrows(CommandFailure.class, () -> ControlSocket.ask(path, List.of("fail"))).getMessage());
      assertTrue(assertThrows(CommandFailure.class, () -> ControlSocket.ask(path, List.of("what"))).getMessage().contains("another version"));
      SocketChannel.open(UnixDomainSocketAddress.of(path)).close();
      assertEquals(2, ControlSocket.ask(path, List.of("say")).size(), "one who says nothing hinders nobody");
    }
    assertFalse(Files.exists(path));
  }
}

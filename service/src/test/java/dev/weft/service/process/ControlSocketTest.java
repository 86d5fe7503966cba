package dev.weft.service.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.service.CommandFailure;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class ControlSocketTest {
  @TempDir private Path directory;

  @Test
  void shouldCarryARequestAndItsAnswer() throws Exception {
    Path path = directory.resolve("s");
    try (ControlSocket _ = ControlSocket.open(path, Map.of("say", (words, _) -> List.of("said " + words, "twice"),
        "fail", (_, _) -> {
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

  @Test
  void shouldTellThatACommandHasGoneOnlyBeforeItHasItsAnswer() throws Exception {
    Path path = directory.resolve("s");
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gone = new CountDownLatch(1);
    AtomicInteger times = new AtomicInteger();
    try (ControlSocket _ = ControlSocket.open(path, Map.of("long", (_, asker) -> {
      asker.whenGone(gone::countDown);
      asked.countDown();
      await(gone);
      return List.of();
    }, "short", (_, asker) -> {
      asker.whenGone(times::incrementAndGet);
      return List.of("here");
    }))) {
      try (SocketChannel killed = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
        killed.write(ByteBuffer.wrap("long\n".getBytes(StandardCharsets.UTF_8)));
        await(asked);
        assertEquals(1, gone.getCount(), "it waits for its answer");
      }
      await(gone);
      for (int i = 0; i < 20; i++) {
        assertEquals(List.of("here"), ControlSocket.ask(path, List.of("short")));
      }
    }
    assertEquals(0, times.get());
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.SECONDS));
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }
}

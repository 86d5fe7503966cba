package dev.weft.service.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.service.Asker;
import dev.weft.service.CommandFailure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
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
      assertTrue(assertThrows(CommandFailure.class, () -> ControlSocket.ask(path, List.of("what"))).getMessage().contains("use the same version of Weft"));
      SocketChannel.open(UnixDomainSocketAddress.of(path)).close();
      assertEquals(2, ControlSocket.ask(path, List.of("say")).size(), "one who says nothing hinders nobody");
    }
    assertFalse(Files.exists(path));
  }

  @Test
  void shouldBeClosedToOtherUsersWhateverTheUmaskIs() throws Exception {
    Path path = directory.resolve("s");
    try (ControlSocket _ = ControlSocket.open(path, Map.of("say", (_, _) -> List.of("said")))) {
      assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
      assertEquals(List.of("said"), ControlSocket.ask(path, List.of("say")));
      try (Stream<Path> files = Files.list(directory)) {
        assertEquals(List.of(path), files.toList());
      }
    }
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

  @Test
  void shouldCarryNamesAsTheyAre() throws Exception {
    Path path = directory.resolve("s");
    List<String> names = List.of("a ", " \u3000", "t\tn\nr\r\\t", "\udcff\udc80", "", "\u00fc\ud83d\udc80");
    try (ControlSocket _ = ControlSocket.open(path, Map.of("same", (words, _) -> List.of(Boolean.toString(words.equals(names)), "\udcff\r")))) {
      List<String> request = new ArrayList<>(List.of("same"));
      request.addAll(names);
      assertEquals(List.of("true", "\\377\\r"), ControlSocket.ask(path, request));
      CommandFailure tooLong = assertThrows(CommandFailure.class, () -> ControlSocket.ask(path, List.of("same", "x".repeat(40_000))));
      assertTrue(tooLong.getMessage().contains("40006 bytes, may have 32768"), tooLong::getMessage);
    }
  }

  @Test
  void shouldDoNothingOfHalfARequest() throws Exception {
    Path path = directory.resolve("s");
    AtomicInteger times = new AtomicInteger();
    try (ControlSocket _ = ControlSocket.open(path, Map.of("do", (_, _) -> List.of("" + times.incrementAndGet())))) {
      try (SocketChannel killed = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
        killed.write(ByteBuffer.wrap("do\tsome".getBytes(StandardCharsets.UTF_8)));
        killed.shutdownOutput();
        assertEquals(-1, killed.read(ByteBuffer.allocate(100)));
      }
      assertEquals(List.of("1"), ControlSocket.ask(path, List.of("do")));
    }
  }

  @Test
  void shouldMoveDataBothWays() throws Exception {
    Path path = directory.resolve("s");
    byte[] data = new byte[3_000_000];
    new Random(7).nextBytes(data);
    AtomicReference<byte[]> stored = new AtomicReference<>();
    try (ControlSocket _ = ControlSocket.open(path, Map.of("store", (_, asker) -> store(asker, stored), "fetch", (_, asker) -> fetch(asker, stored),
        "refuse", (_, _) -> {
          throw new CommandFailure("not today");
        }))) {
      assertEquals(List.of(), ControlSocket.ask(path, List.of("store"), Channels.newChannel(new ByteArrayInputStream(data)), null));
      assertArrayEquals(data, stored.get());
      ByteArrayOutputStream back = new ByteArrayOutputStream();
      assertEquals(List.of("that was all"), ControlSocket.ask(path, List.of("fetch"), null, Channels.newChannel(back)));
      assertArrayEquals(data, back.toByteArray());
      assertEquals("not today", assertThrows(CommandFailure.class,
          () -> ControlSocket.ask(path, List.of("refuse"), Channels.newChannel(new ByteArrayInputStream(data)), null)).getMessage());
    }
  }

  @Test
  void shouldNotTakeForWholeWhatASourceThatFailsHasSent() throws Exception {
    Path path = directory.resolve("s");
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<byte[]> stored = new AtomicReference<>();
    try (ControlSocket _ = ControlSocket.open(path, Map.of("store", (_, asker) -> {
      try {
        return store(asker, stored);
      } finally {
        ended.countDown();
      }
    }))) {
      InputStream failing = new SequenceInputStream(new ByteArrayInputStream(new byte[100_000]), new InputStream() {
        @Override
        public int read() throws IOException {
          throw new IOException("a bad block");
        }
      });
      assertEquals("a bad block", assertThrows(IOException.class, () -> ControlSocket.ask(path, List.of("store"), Channels.newChannel(failing), null))
          .getMessage());
      await(ended);
      assertNull(stored.get());
    }
  }

  private static List<String> store(Asker asker, AtomicReference<byte[]> stored) {
    try {
      stored.set(Channels.newInputStream(asker.input()).readAllBytes());
      return List.of();
    } catch (IOException broken) {
      throw new CommandFailure(broken.getMessage(), broken);
    }
  }

  private static List<String> fetch(Asker asker, AtomicReference<byte[]> stored) {
    try {
      asker.output().write(ByteBuffer.wrap(stored.get()));
      return List.of("that was all");
    } catch (IOException broken) {
      throw new CommandFailure(broken.getMessage(), broken);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(90, TimeUnit.SECONDS));
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }
}

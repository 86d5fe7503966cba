package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.files.JvmName;
import dev.weft.fabric.rules.Waits;
import dev.weft.fabric.seal.SealKey;
import io.aeron.Aeron;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("jvms")
@Timeout(180)
class MediaDriverProcessTest {
  private Path parent;
  private MediaDriverSettings settings;

  @BeforeEach
  void choose() throws Exception {
    parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    settings = MediaDriverSettings.of(ConfigFactory.load()).withDirectory(parent.resolve("driver"));
  }

  @AfterEach
  void clean() {
    IoUtil.delete(parent.toFile(), true);
  }

  private List<Path> left() throws Exception {
    try (Stream<Path> files = Files.list(parent)) {
      return files.toList();
    }
  }

  @Test
  void shouldKeepAnUnusedDriverForTheOneThatIsAboutToConnect() throws Exception {
    try (MediaDriverProcess slow = MediaDriverProcess.startOrAttach(settings.withExitWhenUnusedAfter(Duration.ofSeconds(1)))) {
      Thread.sleep(3_000); // Three times as long as it may be unused: its JVM is slow to connect.
      assertTrue(slow.isAlive());
    }
  }

  @Test
  void shouldAttachToALivingDriverAndStopOnlyWhatItStarted() throws Exception {
    try (MediaDriverProcess owner = MediaDriverProcess.startOrAttach(settings)) {
      assertTrue(owner.isOwned());
      assertTrue(owner.isAlive());
      try (MediaDriverProcess guest = MediaDriverProcess.startOrAttach(settings)) {
        assertFalse(guest.isOwned());
        assertEquals(owner.pid(), guest.pid());
        assertEquals(owner.driverId(), guest.driverId());
      }
      assertTrue(owner.isAlive());
    }
    assertEquals(List.of(), left(), "the driver removes its directory, its log and its lock");
  }

  /** A JVM of another fabric must neither send in the clear what should be encrypted, nor with another key. */
  @Test
  void shouldAttachOnlyToADriverWithTheSameKey() throws Exception {
    SealKey key = new SealKey("k".repeat(SealKey.LENGTH).getBytes(StandardCharsets.US_ASCII));
    SealKey another = new SealKey("a".repeat(SealKey.LENGTH).getBytes(StandardCharsets.US_ASCII));
    try (MediaDriverProcess owner = MediaDriverProcess.startOrAttach(settings, key)) {
      try (MediaDriverProcess guest = MediaDriverProcess.startOrAttach(settings, key)) {
        assertEquals(owner.pid(), guest.pid());
      }
      for (SealKey wrong : new SealKey[] {another, null}) {
        String text = assertThrows(IOException.class, () -> MediaDriverProcess.startOrAttach(settings, wrong)).getMessage();
        assertTrue(text.contains(settings.directory() + " encrypts for ") && text.contains("name a directory"), text);
      }
      assertFalse(ProcessHandle.of(owner.pid()).orElseThrow().info().commandLine().orElse("").contains("k".repeat(9)), "the key is on no command line");
    }
    assertEquals(List.of(), left(), "nothing is left");
    try (MediaDriverProcess plain = MediaDriverProcess.startOrAttach(settings)) {
      assertTrue(plain.isAlive());
      assertTrue(assertThrows(IOException.class, () -> MediaDriverProcess.startOrAttach(settings, key)).getMessage().contains(" does not encrypt"));
    }
  }

  @Test
  void shouldReplaceADriverThatWasKilled() throws Exception {
    MediaDriverProcess killed = MediaDriverProcess.startOrAttach(settings);
    ProcessHandle handle = ProcessHandle.of(killed.pid()).orElseThrow();
    handle.destroyForcibly();
    handle.onExit().get(90, TimeUnit.SECONDS);
    assertTrue(Files.exists(settings.directory()));
    assertFalse(killed.isAlive());
    try (MediaDriverProcess next = MediaDriverProcess.startOrAttach(settings)) {
      assertTrue(next.isOwned());
      assertNotEquals(killed.driverId(), next.driverId());
    }
  }

  @Test
  void shouldLeaveTheDriverToItsOtherClientsAndEndItselfWhenTheyAreGone() throws Exception {
    MediaDriverProcess owner = MediaDriverProcess.startOrAttach(settings.withExitWhenUnusedAfter(Duration.ofSeconds(1)));
    try (Aeron client = Aeron.connect(TestClients.context(settings.directory()).clientName("another"))) {
      client.addSubscription("aeron:ipc", 1);
      owner.close();
      assertFalse(client.isClosed());
      assertTrue(owner.isAlive());
    }
    ProcessHandle.of(owner.pid()).ifPresent(handle -> handle.onExit().orTimeout(90, TimeUnit.SECONDS).join());
    assertEquals(List.of(), left());
  }

  @Test
  void shouldForgetTheClientOfAJvmThatHasEnded() throws Exception {
    Aeron.Context own = TestClients.context(settings.directory()).clientName(JvmName.OF_THIS_JVM);
    // Nobody holds its file, and it says seldom that it lives.
    Aeron.Context dead = TestClients.context(settings.directory()).clientName("weft-jvm-0-0").keepAliveIntervalNs(TimeUnit.SECONDS.toNanos(4));
    try (MediaDriverProcess _ = MediaDriverProcess.startOrAttach(settings);
        Aeron alive = Aeron.connect(own);
        Aeron ended = Aeron.connect(dead)) {
      ended.addSubscription("aeron:ipc", 1); // The driver knows a client from its first command on.
      alive.addSubscription("aeron:ipc", 1);
      Waits.until("the driver to forget a client", ended::isClosed);
      assertFalse(alive.isClosed());
      alive.addSubscription("aeron:ipc", 2);
    }
  }

  @Test
  void shouldTellItsClientsThatItsProcessHasEnded() throws Exception {
    MediaDriverProcess killed = MediaDriverProcess.startOrAttach(settings);
    Aeron.Context patient = TestClients.context(settings.directory()).clientName(JvmName.OF_THIS_JVM).driverTimeoutMs(TimeUnit.DAYS.toMillis(3650));
    try (killed; Aeron client = Aeron.connect(patient)) {
      ProcessHandle.of(killed.pid()).orElseThrow().destroyForcibly();
      assertTrue(ProcessWatch.awaitEnd(killed.pid(), 10_000));
      killed.sayThatItHasEnded();
      Waits.until("a client to learn that its driver is dead", client::isClosed);
    }
  }

  @Test
  void shouldSayWhatIsWrongWithASetting() {
    var refused = assertThrows(IllegalArgumentException.class, () -> MediaDriverSettings.of(ConfigFactory.parseString(
        "weft.fabric.cluster.media-driver.udp-term-length = 1000000").withFallback(ConfigFactory.load())));
    assertEquals("weft.fabric.cluster.media-driver.udp-term-length = 1000000 must be a power of two from 65536 to 1073741824", refused.getMessage());
  }
}

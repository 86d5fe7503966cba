package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.trunk.TrunkSettings;
import io.aeron.Aeron;
import io.aeron.ErrorCode;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A media driver whose files are in a small file system, as in a container. */
@Tag("jvms")
class DriverSpaceTest {
  private static final Config CONFIG = ConfigFactory.load();
  private static final TrunkSettings TRUNKS = TrunkSettings.of(CONFIG);
  private static final String CHANNEL = "aeron:ipc?term-length=2m";
  private static final int MESSAGES = 20_000;

  @TempDir private Path temporary;

  private MediaDriverSettings settings(SmallFileSystem small) {
    return MediaDriverSettings.of(CONFIG).withDirectory(small.path().resolve("driver"));
  }

  @Test
  void shouldSayBeforeTheStartWhatIsMissing() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(temporary.resolve("small"), 64)) {
      MediaDriverSettings settings = settings(small);
      DriverSpace.check(settings.directory(), settings, TRUNKS, 1);
      DriverSpace.check(settings.directory(), settings, TRUNKS, 2);
      String text = assertThrows(IOException.class, () -> DriverSpace.check(settings.directory(), settings, TRUNKS, 3)).getMessage();
      assertTrue(text.contains("needs 121 MiB for itself and the connections of 3 JVMs, and " + small.path()
          + " has 64 MiB free of 64, so 57 MiB are missing"),
          text);
    }
    try (SmallFileSystem tiny = SmallFileSystem.mount(temporary.resolve("tiny"), 9)) {
      String text = assertThrows(IOException.class, () -> MediaDriverProcess.startOrAttach(settings(tiny))).getMessage();
      assertTrue(text.contains("needs 12 MiB for itself"), text);
      assertTrue(Files.notExists(tiny.path().resolve("driver")), "nothing was started");
    }
  }

  /** What the driver needs is what this says it needs. */
  @Test
  void shouldNeedNoMoreThanItSays() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(temporary.resolve("small"), (int) (DriverSpace.START_BYTES >> 20) + 1);
        MediaDriverProcess driver = MediaDriverProcess.startOrAttach(settings(small))) {
      small.fill();
      try (Aeron aeron = TestClients.connect(driver.directory())) {
        assertEquals(ErrorCode.STORAGE_SPACE, refusal(aeron).errorCode());
      }
      assertTrue(driver.isAlive());
    }
  }

  private static RegistrationException refusal(Aeron aeron) {
    return assertThrows(RegistrationException.class, () -> aeron.addExclusivePublication(CHANNEL, 2));
  }

  @Test
  void shouldRefuseOneRequestWhenSomebodyElseHasFilledIt() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(temporary.resolve("small"), 32);
        MediaDriverProcess driver = MediaDriverProcess.startOrAttach(settings(small)); Aeron aeron = TestClients.connect(driver.directory());
        Subscription subscription = aeron.addSubscription(CHANNEL, 1); ExclusivePublication publication = aeron.addExclusivePublication(CHANNEL, 1)) {
      small.fill();
      assertEquals(ErrorCode.STORAGE_SPACE, refusal(aeron).errorCode());
      pass(publication, subscription); // Each page of what was made before is there.
      assertTrue(driver.isAlive());
      Files.delete(small.path().resolve("fill"));
      aeron.addExclusivePublication(CHANNEL, 2).close();
    }
  }

  /** Aeron warns where less than 160 MiB are free, at each file; what is needed has been looked at before the start. */
  @Test
  void shouldNotComplainOfASmallFileSystemThatHasWhatIsNeeded() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(temporary.resolve("small"), 64);
        MediaDriverProcess driver = MediaDriverProcess.startOrAttach(settings(small)); Aeron aeron = TestClients.connect(driver.directory());
        ExclusivePublication publication = aeron.addExclusivePublication(CHANNEL, 1)) {
      assertTrue(publication.registrationId() > 0 && driver.isAlive());
      String log = Files.readString(MediaDriverProcess.logFile(driver.directory()));
      assertFalse(log.contains("error"), log);
    }
  }

  /** Three times through all three terms. */
  private static void pass(ExclusivePublication publication, Subscription subscription) {
    UnsafeBuffer message = new UnsafeBuffer(new byte[1024]);
    int[] received = new int[1];
    for (int sent = 0; sent < MESSAGES || received[0] < MESSAGES; ) {
      if (sent < MESSAGES && publication.offer(message) > 0) {
        sent++;
      }
      subscription.poll((buffer, offset, length, header) -> received[0]++, 100);
    }
  }

  /** As a page that is not there ends it, where a file was cut off. */
  @Test
  void shouldEndWithItsLogWhenItsConductorCannotWork() throws Exception {
    Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    MediaDriverProcess driver = MediaDriverProcess.startOrAttach(MediaDriverSettings.of(CONFIG).withDirectory(directory.resolve("driver")));
    ProcessHandle process = ProcessHandle.of(driver.pid()).orElseThrow();
    try {
      assertTrue(driver.obituary().contains("(pid " + driver.pid() + ")"), "also where a process that is being killed still looks alive");
      try (RandomAccessFile cnc = new RandomAccessFile(driver.directory().resolve("cnc.dat").toFile(), "rw")) {
        cnc.setLength(0);
      }
      process.onExit().get(60, TimeUnit.SECONDS);
      String text = driver.obituary();
      String log = Files.readString(MediaDriverProcess.logFile(driver.directory())); // A trace may stand behind it, longer than what is shown of the end.
      assertTrue(text.contains("the media driver (pid " + driver.pid() + ") has ended") && log.contains("the media driver ends: "), text + log);
    } finally {
      process.destroyForcibly();
      driver.close();
      MediaDriverProcess.stopAndRemove(driver.directory());
      Files.delete(directory);
    }
  }
}

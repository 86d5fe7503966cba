package dev.weft.launcher.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.launcher.CommandRun;
import dev.weft.launcher.cluster.Recorded;
import dev.weft.launcher.cluster.RecordedJvms;
import dev.weft.launcher.http.Bed;
import dev.weft.service.ExitCode;
import dev.weft.service.process.CaptureKey;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command, and a fabric that runs; what tshark makes of it between JVMs is tested there. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class RunningFabricCaptureTest {
  /** Control planes of the record, where nobody listens. */
  private static final String ADDRESS = "127.0.0.1:11";
  private static final String WRONG_KEY = "127.0.0.1:12";
  private static final String NO_KEY = "127.0.0.1:13";

  private static Bed bed;
  private static String temporary;

  @TempDir private Path directory;

  @BeforeAll
  static void startFabric(@TempDir Path states) throws Exception {
    temporary = System.setProperty("java.io.tmpdir", states.toString()); // The state directory is below.
    bed = new Bed();
    Recorded.up(ADDRESS, bed.uri(), bed.captureKey());
    Recorded.joined(WRONG_KEY, bed.uri(), CaptureKey.draw());
    Recorded.member(NO_KEY, bed.uri(), CaptureKey.UNKNOWN);
  }

  @AfterAll
  static void stopFabric() {
    bed.close();
    System.setProperty("java.io.tmpdir", temporary);
  }

  /** Blocks of a file by their types. */
  private static List<Integer> types(Path file) throws Exception {
    List<Integer> types = new ArrayList<>();
    BlockReader reader = new BlockReader(new ByteArrayInputStream(Files.readAllBytes(file)));
    for (byte[] block = reader.next(); block != null; block = reader.next()) {
      types.add(BlockReader.typeOf(block));
    }
    return types;
  }

  @Test
  void shouldWriteAFileOfSoManyPacketsWhileTrafficRuns() throws Exception {
    Path file = directory.resolve("c.pcapng");
    AtomicBoolean stop = new AtomicBoolean();
    Thread traffic = Thread.ofPlatform().start(() -> {
      while (!stop.get()) {
        bed.a.write(bed.b, 1000);
      }
    });
    CommandRun run = CommandRun.of("capture", "--jvm", bed.uri().toString(), "--packets", "50", file.toString());
    stop.set(true);
    traffic.join();
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(run.err().startsWith("weft: 50 packets in " + file), run.err());
    List<Integer> types = types(file);
    assertEquals(53, types.size());
    assertEquals(50, types.stream().filter(type -> type == 6).count());
    assertEquals(5, types.getLast());
  }

  @Test
  void shouldEndAfterItsTimeWithACompleteFile() throws Exception {
    Path file = directory.resolve("c.pcapng");
    CommandRun run = CommandRun.of("capture", "--jvm", ADDRESS, "--duration", "1", file.toString());
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertEquals("weft: 0 packets in " + file, run.err().strip());
    assertEquals(3, types(file).size());
  }

  /** What stands in the columns ADDRESS and URL of {@code weft status}, and what a user makes of it. */
  @ParameterizedTest
  @ValueSource(strings = {ADDRESS, "127.0.0.1:%d", "localhost:%d", "http://127.0.0.1:%d", "http://localhost:%d/weft/"})
  void shouldKnowTheKeyOfAJvmByEachOfItsAddresses(String form) throws Exception {
    RecordedJvms.Found found = RecordedJvms.open(false).find(String.format(form, bed.uri().getPort()));
    assertEquals(new RecordedJvms.Found(bed.uri(), bed.captureKey()), found);
    assertFalse(found.toString().contains(bed.captureKey().text()), "not into messages");
  }

  /** Another user may listen there. */
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.2:%d", "http://example.com:%d", "localhost:9", "127.0.0.1:9"})
  void shouldKeepTheKeyFromOthers(String form) throws Exception {
    assertEquals(CaptureKey.UNKNOWN, RecordedJvms.open(false).find(String.format(form, bed.uri().getPort())).captureKey());
  }

  @ParameterizedTest
  @ValueSource(strings = {WRONG_KEY, NO_KEY})
  void shouldSayWhoMayCaptureWhereTheKeyIsWrongOrMissing(String address) {
    Path file = directory.resolve("c.pcapng");
    CommandRun run = CommandRun.of("capture", "--jvm", address, file.toString());
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertTrue(run.err().contains("local shows them to its own user only; run 'weft capture' on its host as the user who started it"), run.err());
    assertFalse(Files.exists(file));
  }

  @Test
  void shouldSayThatTheDiskIsFullAndGiveTheJvmBack() {
    for (int i = 0; i < 2; i++) {
      CommandRun run = CommandRun.of("capture", "--jvm", ADDRESS, "/dev/full");
      assertEquals(ExitCode.FAILURE, run.exitCode());
      assertTrue(run.err().contains("cannot write the capture to /dev/full: No space left on device"), run.err());
    }
  }

  @Test
  void shouldLeaveTheFileAloneWhenNobodyIsThere() throws Exception {
    Path file = Files.writeString(directory.resolve("old"), "somebody's capture");
    CommandRun run = CommandRun.of("capture", "--jvm", "127.0.0.1:1", file.toString());
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertTrue(run.err().contains("cannot capture 127.0.0.1:1 over http://127.0.0.1:1: no program listens there"), run.err());
    assertEquals("somebody's capture", Files.readString(file));
  }

  @ParameterizedTest
  @CsvSource({
      "--jvm 127.0.0.1:0 x, '127.0.0.1:0' is not the address of a JVM",
      "--jvm a_b:1 x, 'a_b:1' is not the address of a JVM",
      "x, name what to capture: weft capture --jvm ADDRESS FILE",
      "x --jvm 127.0.0.1:1, --jvm comes after FILE",
      "--jvm here x, 'here' is not the address of a JVM; an address is HOST:PORT",
      "--jvm 127.0.0.1:1 --jvm 127.0.0.1:1 x, --jvm names a JVM twice",
      "--jvm 127.0.0.1:1 --packets 0 x, --packets is 0",
      "--jvm 127.0.0.1:1 --duration 0 x, --duration is 0 s",
      "--jvm 127.0.0.1:1 x -- perftest send-lat, give either --jvm or a perftest",
      "--sent x -- perftest send-lat, --sent has no effect while a perftest is captured",
      "- -- perftest send-lat, perftest writes to standard output itself; name a file"})
  void shouldSayWhatIsWrongWithTheCommandLine(String arguments, String problem) {
    CommandRun run = CommandRun.of(("capture " + arguments).split(" "));
    assertEquals(ExitCode.USAGE, run.exitCode(), run.err());
    assertTrue(run.err().contains(problem), run.err());
  }
}

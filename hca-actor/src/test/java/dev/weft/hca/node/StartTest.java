package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverProcess;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.rules.Waits;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.fabric.trunk.TrunkSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each kind of fabric says, and does not begin, when it is started the wrong way. */
@Tag("jvms")
@Timeout(180)
class StartTest {
  private static final String OPENS = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";
  private static final String OPENS_TOO = "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED";
  private static final String OTHERS = "--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED";

  @TempDir Path directory;

  /** Starts the fabric of that kind. */
  static final class Starter {
    public static void main(String[] args) throws Exception {
      start(args[0], ConfigFactory.empty(), Path.of(args[1])).close();
    }

    static AutoCloseable start(String kind, Config settings, Path directory) throws IOException {
      return switch (kind) {
        case "local" -> LocalFabric.start(settings);
        case "virtual" -> new VirtualFabric(1, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE, settings);
        default -> {
          Config config = settings.withFallback(ConfigFactory.load());
          MediaDriverSettings driver = MediaDriverSettings.of(config).withDirectory(directory.resolve("driver"));
          yield ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, List.of(), List.of(), driver, NodeLink.DIRECT,
              System.err::println), config);
        }
      };
    }
  }

  /** With Akka's 5 s the start fails where the machine has a load of 30. */
  @Test
  void shouldWaitForAkkasLoggerAsLongAsAStarvedMachineNeeds() {
    for (Config overrides : List.of(ConfigFactory.empty(), ConfigFactory.load())) {
      try (LocalFabric fabric = LocalFabric.start(overrides)) {
        assertEquals(60, fabric.config().getDuration("akka.logger-startup-timeout").toSeconds());
      }
    }
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("akka.logger-startup-timeout = 7s").withFallback(ConfigFactory.load()))) {
      assertEquals(7, fabric.config().getDuration("akka.logger-startup-timeout").toSeconds());
    }
  }

  @Test
  void shouldSayThatTheMediaDriverHasEndedMeanwhile() throws Exception {
    Config config = ConfigFactory.load();
    try (MediaDriverProcess driver = MediaDriverProcess.startOrAttach(MediaDriverSettings.of(config).withDirectory(directory.resolve("ended")))) {
      ProcessHandle.of(driver.pid()).orElseThrow().destroyForcibly();
      Waits.until("the driver's end", () -> !driver.isAlive());
      IOException refused = assertThrows(IOException.class,
          () -> ClusterFabric.openTrunks(TrunkSettings.of(config), driver, SwitchSettings.from(config), null));
      assertTrue(refused.getMessage().startsWith("the media driver, process " + driver.pid() + ", ended while this JVM joined"), refused.getMessage());
    }
  }

  private String startWith(String kind, List<String> flags) throws Exception {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m"));
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Starter.class.getName(), kind, directory.toString()));
    Path log = directory.resolve("log");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    Process jvm = builder.start();
    try {
      assertTrue(jvm.waitFor(90, TimeUnit.SECONDS), "still running");
      assertEquals(1, jvm.exitValue(), () -> kind + " should have failed");
      return Files.readString(log).strip();
    } finally {
      jvm.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "virtual", "cluster"})
  void shouldNameTheOptionsThatTheJvmLacksInOneLine(String kind) throws Exception {
    assertEquals("Exception in thread \"main\" dev.weft.fabric.JvmFlags$MissingException: this JVM lacks options that Weft needs; "
        + "start java with " + OPENS + " " + OPENS_TOO + " " + OTHERS, startWith(kind, List.of()));
    assertEquals(List.of("log"), Stream.of(directory.toFile().list()).toList(), "no media driver was started");
  }

  @Test
  void shouldNameOnlyWhatIsMissing() throws Exception {
    String said = startWith("local", List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED"));
    assertTrue(said.endsWith("start java with " + OPENS_TOO + " --sun-misc-unsafe-memory-access=allow"), said);
  }

  /** The JVM ends by itself: no thread of the actor system is left. */
  @ParameterizedTest
  @CsvSource({"local, weft.hca.inline-max=70000, weft.hca.inline-max is 70000", "cluster, weft.hca.inline-max=70000, weft.hca.inline-max is 70000",
      "local, weft.hardware-dispatcher.duty-cycle.park-max=1ns, park-max"})
  void shouldLeaveNothingRunningWhereASettingIsOutOfRange(String kind, String property, String said) throws Exception {
    List<String> flags = new ArrayList<>(List.of(OPENS, OPENS_TOO));
    flags.addAll(List.of(OTHERS.split(" ")));
    flags.add("-D" + property);
    String log = startWith(kind, flags);
    assertTrue(log.contains("IllegalArgumentException: ") && log.contains(said), log);
  }

  @ParameterizedTest
  @CsvSource({"local", "virtual", "cluster"})
  void shouldRefuseASettingThatNobodyReads(String kind) {
    Config wrong = ConfigFactory.parseString("weft.hca.pin-memry = false");
    String said = assertThrows(IllegalArgumentException.class, () -> Starter.start(kind, wrong, directory)).getMessage();
    assertEquals("weft.hca.pin-memry (String: 1) is no setting of the modules on the class path; did you mean weft.hca.pin-memory?", said);
    assertEquals(0, directory.toFile().list().length, "no media driver was started");
  }

  @ParameterizedTest
  @CsvSource({"local", "virtual", "cluster"})
  void shouldRefuseASystemPropertyThatNobodyReads(String kind) {
    System.setProperty("weft.fabric.trunk.path-mut", "4096");
    try {
      assertThrows(IllegalArgumentException.class, () -> Starter.start(kind, ConfigFactory.empty(), directory));
    } finally {
      System.clearProperty("weft.fabric.trunk.path-mut");
      ConfigFactory.invalidateCaches();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "cluster"})
  void shouldSayAtOnceThatAllPortsOfTheSwitchAreTaken(String kind) throws Exception {
    Config settings = ConfigFactory.parseString("weft.fabric.switch.ports-max = 1");
    try (AutoCloseable started = Starter.start(kind, settings, directory)) {
      Fabric fabric = (Fabric) started;
      fabric.addNode("first");
      for (String name : List.of("second", "third")) {
        String text = assertThrows(IllegalStateException.class, () -> fabric.addNode(name)).getMessage();
        assertEquals("node " + name + " got no switch port: all 1 ports are taken; detach one or raise weft.fabric.switch.ports-max", text);
      }
    }
  }
}

package dev.weft.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.JvmFlags;
import dev.weft.fabric.KnownSettings;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Tag("jvms")
@Timeout(180)
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class WeftCommandTest {
  static Stream<String> subcommands() {
    return WeftCommand.commandLine().getSubcommands().values().stream()
        .filter(sub -> !(sub.getCommand() instanceof CommandLine.HelpCommand))
        .filter(sub -> !sub.getCommandSpec().usageMessage().hidden())
        .map(CommandLine::getCommandName);
  }

  /** A script with an unset variable must not use the current directory. */
  @Test
  void shouldNotTakeAnEmptyArgumentForTheCurrentDirectory() {
    for (String[] words : new String[][] {{"pvfs", "mount", ""}, {"up", "--pvfs=1", "--pvfs-dir="}}) {
      CommandRun run = CommandRun.of(words);
      assertEquals(ExitCode.USAGE, run.exitCode(), run.err());
      assertTrue(run.err().contains("is empty; name a directory"), run.err());
    }
  }

  @ParameterizedTest
  @MethodSource("subcommands")
  void shouldExplainEachSubcommandWithExamples(String name) {
    CommandRun run = CommandRun.of(name, "--help");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("Usage: weft " + name), run.out());
    assertTrue(run.out().contains("Examples:") && run.out().contains("./weft " + name), run.out());
    assertEquals("", run.err());
  }

  /** A JVM has the parser of one subcommand, and says the same; the reference is of all. */
  @ParameterizedTest
  @MethodSource("subcommands")
  void shouldExplainASubcommandAsWhereItIsOneOfAll(String name) {
    CommandLine alone = WeftCommand.commandLineFor(name, "--help");
    assertEquals(name.equals("reference") ? WeftCommand.commandLine().getSubcommands().keySet() : Set.of(name), alone.getSubcommands().keySet());
    assertEquals(CommandRun.of(WeftCommand.commandLine(), name, "--help").out(), CommandRun.of(alone, name, "--help").out());
  }

  @Test
  void shouldRunAnotherSubcommandForTheOneThatItHas() {
    CommandLine alone = WeftCommand.commandLineFor("pvfs", "up");
    CommandRun run = CommandRun.of(alone, "up", "--help");
    assertEquals(CommandRun.of("up", "--help").out(), run.out());
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"help", "help up", "upp", "--help", "--version", "-x", ""})
  void shouldHaveAllSubcommandsWhereNoneIsNamed(String line) {
    String[] args = line.isEmpty() ? new String[0] : line.split(" ");
    CommandRun all = CommandRun.of(WeftCommand.commandLine(), args);
    CommandRun run = CommandRun.of(args);
    assertEquals(all.out() + all.err() + all.exitCode(), run.out() + run.err() + run.exitCode());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = true, value = {
      "up --memory=1M                           | weft.pager.client.credits             | 0",
      "up --memory=1M                           | weft.pager.server.max-request         | 5G",
      "up --memory=1M                           | weft.pager.server.store               | heap",
      "up --memory=1M                           | weft.pager.nbd.listen                 | 5",
      "up --memory=1M                           | weft.http.port                        | 70000",
      "up --memory=1M                           | weft.hca.path-mtu-max                 | 5 parsecs",
      "up --memory=1M --tripwire                | weft.tripwire.tripwires-max           | many",
      "up --memory=1M                           | weft.fabric.trunk.transport           | tcp",
      "up --memory=1M                           | weft.fabric.trunk.path-mtu            | 1001",
      "up --memory=1M                           | weft.fabric.subnet.nodes-max          | -1",
      "up --memory=1M                           | weft.fabric.switch.forwarding         | fast",
      "up --memory=1M                           | weft.fabric.cluster.media-driver.udp-mtu | 3 days",
      "up --memory=1M                           | weft.hardware-dispatcher.duty-cycle.park-min | soon",
      "up --memory=1M                           | weft.hca.cm.connections-max           | 0",
      "join 127.0.0.1:9                         | weft.pager.server.credits             | 0",
      "perftest write-lat -n 10                 | weft.hca.path-mtu-max                 | 3",
      "perftest write-lat -n 10                 | weft.fabric.switch.burst-max          | 4 G",
      "perftest write-lat -n 10                 | weft.hardware-dispatcher.duty-cycle.park-min | -1 s",
      "perftest write-lat -n 10 --jvms 2        | weft.fabric.trunk.queue-packets       | 0",
      "tripwire rtt -n 10                       | weft.tripwire.burst-max               | 3",
      "tripwire rtt -n 10 --jvms 2              | weft.tripwire.control-timeout         | 2 days",
      "netvm latency -n 100 --jvms 2            | weft.fabric.trunk.queue-packets       | 0",
      "mpi run ring --ranks 2                   | weft.tripwire.mpi.ring                | 1000",
      "mpi run ring --ranks 2                   | weft.tripwire.store-ring              | 1T",
      "repro contexts-real                      | weft.hardware-dispatcher.duty-cycle.park-min | soon",
      "capture DIR/w.pcapng -- perftest write-bw -n 10 | weft.fabric.capture.buffer-size | 1"})
  void shouldSayInOneLineWhichSettingIsWrong(String line, String key, String value, @TempDir Path directory) {
    String temporary = System.getProperty("java.io.tmpdir");
    System.setProperty(key, value);
    System.setProperty("weft.fabric.cluster.media-driver.directory", directory.resolve("driver").toString());
    System.setProperty("java.io.tmpdir", directory.toString()); // The state directory is below.
    ConfigFactory.invalidateCaches();
    try {
      CommandRun run = CommandRun.of(line.replace("DIR", directory.toString()).split(" "));
      assertEquals(ExitCode.FAILURE, run.exitCode(), run.out() + run.err());
      assertEquals(1, run.err().lines().count(), run.err());
      assertTrue(run.err().startsWith("weft: ") && run.err().contains(key.substring(key.lastIndexOf('.') + 1)), run.err());
    } finally {
      System.clearProperty(key);
      System.clearProperty("weft.fabric.cluster.media-driver.directory");
      System.setProperty("java.io.tmpdir", temporary);
      ConfigFactory.invalidateCaches();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"up", "join 127.0.0.1:9", "status", "down", "perftest write-lat -n 10", "capture w.pcapng -- perftest write-bw -n 10",
    "sim --seeds 1..1", "sim --seeds 1..1 --workload rc", "tripwire rtt -n 10", "netvm latency", "mpi list", "repro testswap"})
  void shouldRefuseASettingThatNobodyReads(String line) {
    System.setProperty("weft.hca.path-mtu", "4096");
    ConfigFactory.invalidateCaches();
    try {
      CommandRun run = CommandRun.of(line.split(" "));
      assertEquals(ExitCode.FAILURE, run.exitCode(), run.out() + run.err());
      assertEquals("weft: weft.hca.path-mtu (system properties) is no setting of the modules on the class path; did you mean "
          + "weft.hca.path-mtu-max?", run.err().strip());
      assertEquals("", run.out());
      assertEquals(ExitCode.OK, CommandRun.of(line.split(" ")[0], "--help").exitCode());
    } finally {
      System.clearProperty("weft.hca.path-mtu");
      ConfigFactory.invalidateCaches();
    }
  }

  /** The settings that the start script gives to every command. */
  @Test
  void shouldKnowTheSettingsOfTheCheckout() {
    KnownSettings.check(ConfigFactory.parseFile(Path.of(System.getProperty("weft.root"), "application.conf").toFile()));
  }

  @Test
  void shouldNameTheOptionsThatItsJvmLacksInOneLine(@TempDir Path directory) throws Exception {
    Path log = directory.resolve("log");
    ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
        System.getProperty("java.class.path"), Main.class.getName(), "perftest", "write-lat").redirectErrorStream(true)
        .redirectOutput(log.toFile());
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    Process jvm = builder.start();
    try {
      assertTrue(jvm.waitFor(60, TimeUnit.SECONDS), "still running");
      assertEquals(ExitCode.FAILURE, jvm.exitValue());
      assertEquals("weft: this JVM lacks options that Weft needs; start java with " + String.join(" ", JvmFlags.NEEDED),
          Files.readString(log).strip());
    } finally {
      jvm.destroyForcibly();
    }
  }

  @Test
  void shouldDocumentItsExitCodes() {
    String help = CommandRun.of("--help").out();
    assertTrue(help.contains("Exit codes:") && help.contains("the command line was wrong"), help);
  }

  @Test
  void shouldTellItsVersionAndThatOfJava() {
    CommandRun run = CommandRun.of("--version");
    assertEquals(ExitCode.OK, run.exitCode());
    assertTrue(run.out().startsWith("weft ") && run.out().contains("java 25"), run.out());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "''                                   | name a subcommand",
      "nonsense                             | nonsense",
      "perftest                             | TEST",
      "perftest write-latency               | the tests are send-lat",
      "perftest write-lat -s 0              | -s is 0, must be from 1 to 8388608",
      "perftest write-lat -s x              | 'x' is not a size",
      "perftest write-lat -s 8 -a           | -s or -a",
      "perftest write-lat -n 5 -D 1         | -n or -D",
      "perftest write-lat -q 2              | for bandwidth tests",
      "perftest write-bw -t 0               | -t is 0, must be from 1 to 8192",
      "perftest fadd-lat -s 16              | atomics are 8 bytes long",
      "perftest read-bw --inline 8          | cannot be inline",
      "perftest write-bw --mtu 1000         | must be a power of two from 256 to 65536",
      "perftest write-bw --histogram x      | needs a latency test or --rate",
      "perftest write-bw --rate 0           | --rate is 0.0",
      "perftest write-bw --jvms 3           | --jvms is 3",
      "perftest write-bw --context softirq  | [ISR, POLLING]",
      "up --registration unpinned --resident 128M --memory 64M  | --resident is 128M, must be smaller than --memory, which is 64M",
      "join 127.0.0.1:9 --registration unpinned --resident 256M | --resident is 256M, must be smaller than --memory, which is 256M",
      "up --nbd 127.0.0.1:99999             | --nbd: address '127.0.0.1:99999' is not host:port with a port from 0 to 65535",
      "up --nbd 0.0.0.0:10809               | --nbd: address '0.0.0.0:10809' is not loopback",
      "up --http 0.0.0.0:8558               | --http: weft.http.host = \"0.0.0.0\" is not a loopback address",
      "up --http 127.0.0.1:99999            | --http: weft.http.port is 99999, must be from 0 to 65535",
      "up --http localhost                  | --http: 'localhost' is not HOST:PORT",
      "up --registration pinned             | must be static or unpinned",
      "join 127.0.0.1:9 --notification mail | must be events or tripwire",
      "join 127.0.0.1:65536                 | '127.0.0.1:65536' is not HOST[:PORT] with a port from 1 to 65535",
      "capture --jvm 127.0.0.1:99999 x.pcapng | --jvm: '127.0.0.1:99999' is not the address of a JVM",
      "capture x.pcapng -- sim              | name what to capture: weft capture --jvm ADDRESS FILE",
      "capture x.pcapng -- perftest write-lat --histogram ./x.pcapng -n 5 | the capture and --histogram name the same file, ./x.pcapng",
      "capture x.pcapng                     | weft capture FILE -- perftest TEST",
      "sim --seeds 5..1                     | give the smaller seed first",
      "sim --seeds many                     | no range of seeds",
      "sim --loss 0.5                       | must be from 0 to 0.03"})
  void shouldAnswerWrongUsageInOneLineWithExitCodeTwo(String line, String expected) {
    CommandRun run = CommandRun.of(line.isEmpty() ? new String[0] : line.trim().split(" +"));
    assertEquals(ExitCode.USAGE, run.exitCode(), run.err());
    assertEquals("", run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().startsWith("weft: ") && run.err().contains(expected), run.err());
    assertTrue(run.err().contains("--help"), run.err());
  }

  @Test
  void shouldStartNothingWhenTheDirectoryOfTheSocketIsMissing() {
    CommandRun run = CommandRun.of("up", "--nbd", "unix:/nonexistent/x.sock");
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertEquals("weft: cannot serve NBD on unix:/nonexistent/x.sock: the directory /nonexistent does not exist", run.err().strip());
    assertEquals("", run.out());
  }

  @Test
  void shouldEndWithExitCodeOneWhenAFileCannotBeWritten() {
    CommandRun run = CommandRun.of("capture", "/no/such/directory/x.pcapng", "--", "perftest", "write-lat", "-n", "1");
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("/no/such/directory/x.pcapng"), run.err());
  }

  @Test
  void shouldFindItsCheckoutAndAJdkThroughASymbolicLinkFromAnyDirectory(@TempDir Path dir) throws IOException, InterruptedException {
    String root = System.getProperty("weft.root");
    Assumptions.assumeTrue(root != null, "run by Maven");
    Path link = Files.createSymbolicLink(dir.resolve("weft-link"), Path.of(root, "weft"));
    Path out = dir.resolve("out");
    Process process = new ProcessBuilder(link.toString(), "--jdk").directory(dir.toFile())
        .redirectErrorStream(true).redirectOutput(out.toFile()).start();
    assertTrue(process.waitFor(90, TimeUnit.SECONDS));
    Files.delete(link);
    String said = Files.readString(out).strip();
    assertEquals(0, process.exitValue(), said);
    assertTrue(Files.readString(Path.of(said, "release")).contains("JAVA_VERSION=\"25"), said);
  }
}

package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.pager.nbd.NbdTestClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fabrics of one user on one host: each has what it needs for itself, and ends alone. */
@Tag("jvms")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(600)
class SeparateFabricsTest {
  /** As many JVMs as there are may start beside each other. */
  private static final int STARTS_S = 200;

  private final List<WeftProcess> fabrics = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (WeftProcess fabric : fabrics) {
      fabric.close();
    }
  }

  private WeftProcess fabric() throws IOException {
    WeftProcess fabric = WeftProcess.withDriverOfItsOwn();
    fabrics.add(fabric);
    return fabric;
  }

  private static Process up(WeftProcess fabric, int jvms) throws IOException {
    return fabric.start("up", "--jvms=" + jvms, "--servers=" + Math.max(1, jvms - 1), "--memory=8M",
        "--nbd=127.0.0.1:0", "--http=127.0.0.1:0");
  }

  private static void awaitUp(WeftProcess fabric, Process up) {
    Waits.until("the fabric to be up", STARTS_S, () -> {
      assertTrue(up.isAlive(), fabric.logs());
      return fabric.pids("UP").contains(up.pid());
    }, fabric::logs);
  }

  private static byte[] read(NbdTestClient client) throws IOException {
    byte[] data = new byte[4096];
    assertEquals(0, client.read(0, data));
    return data;
  }

  private static byte[] pattern(int number) {
    byte[] data = new byte[4096];
    Arrays.fill(data, (byte) number);
    return data;
  }

  @Test
  @Tag("long")
  void shouldGiveEachItsOwnPortAlsoWhenEachHasSeveralJvms() throws Exception {
    shouldGiveEachItsOwnPortWhenTheyStartAtTheSameMoment(2, 3);
  }

  @ParameterizedTest
  @CsvSource("4, 1")
  void shouldGiveEachItsOwnPortWhenTheyStartAtTheSameMoment(int count, int jvms) throws Exception {
    List<Process> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(up(fabric(), jvms));
    }
    Set<String> addresses = new HashSet<>();
    Set<String> drivers = new HashSet<>();
    for (int i = 0; i < count; i++) {
      awaitUp(fabrics.get(i), started.get(i));
      addresses.add(fabrics.get(i).address());
      drivers.add(fabrics.get(i).recordedDriver().toString());
      try (NbdTestClient client = new NbdTestClient(fabrics.get(i).nbd()).patience(Waits.PATIENCE_S).go("", false)) {
        assertEquals(0, client.write(0, pattern(i + 1)));
      }
    }
    assertEquals(count, addresses.size(), "control planes are " + addresses);
    assertEquals(count, drivers.size(), "drivers are in " + drivers);
    for (int i = 0; i < count; i++) {
      try (NbdTestClient client = new NbdTestClient(fabrics.get(i).nbd()).patience(Waits.PATIENCE_S).go("", false)) {
        assertEquals((byte) (i + 1), read(client)[4095], "what it was given is its own");
      }
      fabrics.get(i).awaitJson(jvms + " JVMs", status -> status.path("jvms").size() == jvms);
    }
  }

  @Test
  void shouldNotDependOnTheMediaDriverOfAnother() throws Exception {
    WeftProcess first = fabric();
    Process firstUp = up(first, 1);
    WeftProcess second = fabric();
    Process secondUp = up(second, 1);
    awaitUp(first, firstUp);
    awaitUp(second, secondUp);
    long driver = MediaDriverOf.pid(first.recordedDriver());
    assertNotEquals(session(firstUp.pid()), session(driver), "a signal to the group of the first JVM, as timeout(1) sends, does not reach it");
    ProcessHandle.of(driver).orElseThrow().destroyForcibly();
    Waits.until("the end of a fabric without its driver", () -> !firstUp.isAlive(), first::logs);
    assertEquals(1, firstUp.exitValue());
    assertTrue(first.logs().contains("the media driver (pid " + driver + ") has ended") && first.logs().contains("says last: media driver is up"),
        first.logs());
    try (NbdTestClient client = new NbdTestClient(second.nbd()).patience(Waits.PATIENCE_S).go("", false)) {
      assertEquals(0, client.write(0, pattern(7)));
      assertEquals(7, read(client)[0]);
    }
    assertTrue(secondUp.isAlive());
  }

  private static String session(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[3];
  }

  /** With the same state directory. */
  @Test
  void shouldStartAtOnceInThePlaceOfOneThatWasKilled() throws Exception {
    WeftProcess weft = fabric();
    for (int i = 0; i < 3; i++) {
      Process up = up(weft, 3);
      awaitUp(weft, up);
      List<ProcessHandle> members = weft.awaitMembers(2).stream().map(pid -> ProcessHandle.of(pid).orElseThrow()).toList();
      up.destroyForcibly();
      if (i == 2) {
        Waits.until("the members to end", () -> members.stream().noneMatch(ProcessHandle::isAlive), weft::logs);
      }
    }
    awaitUp(weft, up(weft, 1));
  }

  /** Dead is not the same as silent: who was killed is gone at once. */
  @Test
  void shouldRemoveAKilledMemberBeforeItsSilenceIsNoticed() throws Exception {
    WeftProcess weft = fabric();
    awaitUp(weft, up(weft, 3));
    weft.memberWith("memory-2").destroyForcibly();
    Waits.seen("the member to be removed", weft::logs, logs -> logs.contains("has ended; it is removed from the fabric"));
  }
}

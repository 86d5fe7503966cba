package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pager.nbd.NbdTestClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fabrics of one user on one host: each has what it needs for itself, and ends alone. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class SeparateFabricsTest {
  private static final int SIGKILL_LEAVES_S = 60;

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

  private static void awaitUp(WeftProcess fabric, Process up) throws Exception {
    await("the fabric to be up", 150, () -> !up.isAlive() || !fabric.pids("UP").isEmpty());
    assertTrue(up.isAlive(), fabric.logs());
  }

  private static void await(String what, int seconds, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.call()) {
      assertTrue(System.nanoTime() < end, "waited " + seconds + " s for " + what);
      Thread.sleep(50);
    }
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
      try (NbdTestClient client = new NbdTestClient(fabrics.get(i).nbd()).patience(30).go("", false)) {
        assertEquals(0, client.write(0, pattern(i + 1)));
      }
    }
    assertEquals(count, addresses.size(), "control planes are " + addresses);
    assertEquals(count, drivers.size(), "drivers are in " + drivers);
    for (int i = 0; i < count; i++) {
      try (NbdTestClient client = new NbdTestClient(fabrics.get(i).nbd()).patience(30).go("", false)) {
        assertEquals((byte) (i + 1), read(client)[4095], "what it was given is its own");
      }
      assertEquals(jvms, fabrics.get(i).status().path("jvms").size());
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
    assertTrue(firstUp.waitFor(60, TimeUnit.SECONDS), "a fabric without its driver ends");
    assertEquals(1, firstUp.exitValue());
    assertTrue(first.logs().contains("the media driver (pid " + driver + ") has ended") && first.logs().contains("says last: media driver is up"),
        first.logs());
    try (NbdTestClient client = new NbdTestClient(second.nbd()).patience(30).go("", false)) {
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
      // They write their records when they have joined, which the first JVM does not wait for.
      await("the records of two members", 90, () -> weft.pids("MEMBER").size() == 2);
      List<ProcessHandle> members = weft.pids("MEMBER").stream().map(pid -> ProcessHandle.of(pid).orElseThrow()).toList();
      up.destroyForcibly();
      if (i == 2) {
        await("the members to end", SIGKILL_LEAVES_S, () -> members.stream().noneMatch(ProcessHandle::isAlive));
      }
    }
    Process last = up(weft, 1);
    await("the last one", 150, () -> !last.isAlive() || weft.pids("UP").contains(last.pid()));
    assertTrue(last.isAlive(), weft.logs());
  }

  /** Dead is not the same as silent: who was killed is gone at once. */
  @Test
  void shouldRemoveAKilledMemberBeforeItsSilenceIsNoticed() throws Exception {
    WeftProcess weft = fabric();
    awaitUp(weft, up(weft, 3));
    weft.memberWith("memory-2").destroyForcibly();
    await("the member to be removed", 30, () -> weft.logs().contains("has ended; it is removed from the fabric"));
  }
}

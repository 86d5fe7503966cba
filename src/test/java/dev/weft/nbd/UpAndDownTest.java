package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code weft up} leaves behind when it ends, and whom it refuses. */
class UpAndDownTest {
  private WeftProcess weft;
  @TempDir private Path directory;

  @BeforeEach
  void start() throws Exception {
    weft = new WeftProcess();
  }

  @AfterEach
  void stop() throws Exception {
    weft.close();
  }

  private Process up(Path socket) throws Exception {
    return weft.startAtTerminal("up", "--jvms=3", "--servers=2", "--memory=8M", "--tripwire", "--nbd=unix:" + socket, "--http=127.0.0.1:0");
  }

  private void await(String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.call()) {
      assertTrue(System.nanoTime() < end, "waited 60 s for " + what + ": " + weft.logs());
      Thread.sleep(50);
    }
  }

  private static void interrupt(Process process) throws Exception {
    assertEquals(0, new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).inheritIO().start().waitFor());
  }

  /** What of this fabric is left in the file system; its own logs and empty locks are meant to stay. */
  private List<Path> left(Path socket) throws Exception {
    try (Stream<Path> states = Files.list(weft.stateDirectory()); Stream<Path> shared = Files.list(weft.driverDirectory().getParent());
        Stream<Path> sockets = Files.list(socket.getParent())) {
      String driver = weft.driverDirectory().getFileName().toString();
      return Stream.of(states.filter(file -> !file.toString().endsWith(".log") && !file.toString().endsWith(".lock")),
              shared.filter(file -> file.getFileName().toString().contains(driver)), sockets)
          .flatMap(files -> files)
          .toList();
    }
  }

  private void endsWithoutTrace(Process up, List<ProcessHandle> others, Path socket) throws Exception {
    interrupt(up);
    assertTrue(up.waitFor(60, TimeUnit.SECONDS), "Ctrl-C does not end it: " + weft.logs());
    assertEquals(130, up.exitValue(), weft.logs());
    await("the other processes to end", () -> others.stream().noneMatch(ProcessHandle::isAlive));
    assertEquals(List.of(), left(socket));
  }

  @Test
  @Timeout(180)
  void shouldLeaveNothingBehindAfterCtrlC() throws Exception {
    Path socket = Files.createDirectory(directory.resolve("sockets")).resolve("weft.sock");
    Process up = up(socket);
    try {
      await("the fabric to be up", () -> !weft.pids("UP").isEmpty());
      List<ProcessHandle> others = up.descendants().toList();
      assertEquals(3, others.size(), "two members and the media driver");
      assertTrue(Files.exists(socket) && Files.isDirectory(weft.driverDirectory()), "there is something to leave behind");
      URI http = URI.create(weft.http());
      String nics = get(http.resolve("/weft/nics"));
      assertTrue(nics.contains("\"total\":1") && nics.contains("\"node\":\"client\""), nics);
      await("the members' NICs to be known", () -> {
        String all = get(http.resolve("/weft/directory"));
        return all.contains("memory-1/nic") && all.contains("memory-2/nic");
      });
      String subnet = get(http.resolve("/weft/subnet"));
      assertTrue(subnet.contains("\"name\":\"memory-2\"") && subnet.contains("\"number\":3"), subnet);
      String driver = get(http.resolve("/weft/media-driver"));
      assertTrue(driver.contains("\"isAlive\":true") && driver.contains("Errors"), driver);
      endsWithoutTrace(up, others, socket);
      assertFalse(answers(http), "the HTTP port is free again");
    } finally {
      up.destroyForcibly();
    }
  }

  @Test
  @Timeout(180)
  void shouldLeaveNothingBehindAfterCtrlCWhileItStarts() throws Exception {
    Path socket = Files.createDirectory(directory.resolve("sockets")).resolve("weft.sock");
    Process up = up(socket);
    try {
      await("members to be started", () -> up.descendants().count() == 3);
      assertEquals(List.of(), weft.pids("UP"), "it is not up yet");
      endsWithoutTrace(up, up.descendants().toList(), socket);
    } finally {
      up.destroyForcibly();
    }
  }

  private static String get(URI uri) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  private static boolean answers(URI uri) {
    try (java.net.Socket _ = new java.net.Socket(uri.getHost(), uri.getPort())) {
      return true;
    } catch (java.io.IOException refused) {
      return false;
    }
  }

  @Test
  @Timeout(120)
  void shouldRefuseToStartBesideOneThatStarts() throws Exception {
    // What another 'weft up' holds from its first moment on, before it has recorded itself.
    try (FileChannel channel = FileChannel.open(weft.stateDirectory().resolve("up.lock"), StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      assertTrue(lock.isValid());
      for (String[] how : new String[][] {{}, {"--detach"}}) {
        String[] words = Stream.concat(Stream.of("up", "--servers=1", "--memory=1M", "--nbd=unix:" + directory.resolve("weft.sock"),
            "--http=127.0.0.1:0"), Stream.of(how)).toArray(String[]::new);
        WeftProcess.Answer answer = weft.run(words);
        assertNotEquals(0, answer.exitCode(), answer.out());
        assertTrue(answer.err().contains("another 'weft up'"), answer.err());
        assertEquals(List.of(), weft.pids("UP"));
      }
    }
  }
}

package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.Signals;
import dev.weft.fabric.rules.Waits;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code weft up} leaves behind when it ends, and whom it refuses. */
@Timeout(400)
@Tag("jvms")
class UpAndDownTest {
  private static final int STARTS_MAX = 10;

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
    Signals.send("INT", up.pid());
    Waits.until("Ctrl-C to end it", () -> !up.isAlive(), weft::logs);
    assertEquals(130, up.exitValue(), weft.logs());
    Waits.until("the other processes to end", () -> others.stream().noneMatch(ProcessHandle::isAlive), weft::logs);
    Waits.seen("nothing to be left", () -> left(socket), List::isEmpty);
  }

  @Test
  void shouldLeaveNothingBehindAfterCtrlC() throws Exception {
    Path socket = Files.createDirectory(directory.resolve("sockets")).resolve("weft.sock");
    Process up = up(socket);
    try {
      Waits.until("the fabric to be up", () -> !weft.pids("UP").isEmpty(), weft::logs);
      List<ProcessHandle> others = up.descendants().toList();
      assertEquals(3, others.size(), "two members and the media driver");
      assertTrue(Files.exists(socket) && Files.isDirectory(weft.driverDirectory()), "there is something to leave behind");
      URI http = URI.create(weft.http());
      shows(http.resolve("/weft/nics"), "\"total\":1", "\"node\":\"client\"");
      shows(http.resolve("/weft/directory"), "memory-1/nic", "memory-2/nic");
      shows(http.resolve("/weft/subnet"), "\"name\":\"memory-2\"", "\"number\":3");
      shows(http.resolve("/weft/media-driver"), "\"isAlive\":true", "Errors");
      endsWithoutTrace(up, others, socket);
    } finally {
      up.destroyForcibly();
    }
  }

  private static void shows(URI page, String... words) {
    Waits.seen(List.of(words) + " in " + page, () -> get(page), text -> Stream.of(words).allMatch(text::contains));
  }

  /** Where this JVM looked too late, so that the fabric was up already, it is ended in the same way, and another one is started. */
  @Test
  void shouldLeaveNothingBehindAfterCtrlCWhileItStarts() throws Exception {
    Path socket = Files.createDirectory(directory.resolve("sockets")).resolve("weft.sock");
    boolean wasStarting = false;
    for (int start = 0; start < STARTS_MAX && !wasStarting; start++) {
      Process up = up(socket);
      try {
        Waits.until("members to be started", () -> up.descendants().count() == 3, weft::logs);
        wasStarting = weft.pids("UP").isEmpty();
        endsWithoutTrace(up, up.descendants().toList(), socket);
      } finally {
        up.destroyForcibly();
      }
    }
    assertTrue(wasStarting, STARTS_MAX + " fabrics were up before they could be ended");
  }

  private static String get(URI uri) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  @Test
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

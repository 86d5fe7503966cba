package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory servers in JVMs of their own: one is killed, one joins and leaves. */
class LostServerTest {
  private static final long SERVER_BYTES = 16L << 20;

  private WeftProcess weft;
  @TempDir private Path directory;

  /** What a tool answered, and how long it took. */
  private record Ran(int exitCode, String output, long seconds) {}

  @BeforeEach
  void start() throws Exception {
    boolean found = List.of(System.getenv("PATH").split(":")).stream().anyMatch(p -> Files.isExecutable(Path.of(p, "qemu-io")));
    assertTrue(found || !"true".equals(System.getenv("CI")), "qemu-io is needed; install the package qemu-utils");
    Assumptions.assumeTrue(found, "qemu-io is not installed (package qemu-utils)");
    weft = new WeftProcess();
  }

  @AfterEach
  void stop() throws Exception {
    if (weft != null) {
      weft.close();
    }
  }

  private void up(int jvms) throws Exception {
    WeftProcess.Answer answer = weft.run("up", "--jvms=" + jvms, "--servers=" + (jvms - 1), "--memory=" + SERVER_BYTES,
        "--nbd=unix:" + directory.resolve("weft.sock"), "--http=127.0.0.1:0", "--detach");
    assertEquals(0, answer.exitCode(), answer.err() + answer.out() + weft.logs());
  }

  private Ran qemuIo(String uri, String command) throws Exception {
    long start = System.nanoTime();
    Path out = directory.resolve("qemu-io.out");
    Process process = new ProcessBuilder("qemu-io", "-f", "raw", "-c", command, uri).redirectErrorStream(true)
        .redirectOutput(out.toFile()).start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "qemu-io '" + command + "' hangs");
    return new Ran(process.exitValue(), Files.readString(out), TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
  }

  private static boolean failed(Ran ran) {
    return ran.exitCode() != 0 || ran.output().contains("failed") || ran.output().contains("error");
  }

  @Test
  @Timeout(150)
  void shouldFailOnlyTheAreaOfAServerThatIsKilled() throws Exception {
    up(3);
    String uri = weft.nbd();
    assertTrue(!failed(qemuIo(uri, "write -P 0x21 0 64k")));
    assertTrue(!failed(qemuIo(uri, "write -P 0x22 " + (SERVER_BYTES + 4096) + " 64k")));
    // The second server's JVM, under load from a client that keeps writing to it.
    Process load = new ProcessBuilder("qemu-io", "-f", "raw", "-c", "write -P 0x23 " + SERVER_BYTES + " 16M", "-c",
        "write -P 0x24 " + SERVER_BYTES + " 16M", "-c", "write -P 0x25 " + SERVER_BYTES + " 16M", uri)
        .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    long second = weft.pids("MEMBER").get(1);
    ProcessHandle.of(second).orElseThrow().destroyForcibly();
    assertTrue(load.waitFor(60, TimeUnit.SECONDS), "the client that was writing hangs");
    // Which of the two members carried the second area is not ours to know: exactly one area has died.
    Ran first = qemuIo(uri, "read -P 0x21 0 64k");
    Ran other = qemuIo(uri, "read " + (SERVER_BYTES + 4096) + " 64k");
    assertNotEquals(failed(first), failed(other), first.output() + other.output());
    assertTrue(first.seconds() < 30 && other.seconds() < 30, "errors come in bounded time");
    WeftProcess.Answer status = weft.run("status");
    assertNotEquals(0, status.exitCode(), "the loss is told: " + status.out());
    awaitMembers(2);
    assertNotEquals(failed(qemuIo(uri, "read 0 64k")), failed(qemuIo(uri, "read " + SERVER_BYTES + " 64k")), "and stays so");
  }

  private void awaitMembers(int count) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String last = "";
    while (System.nanoTime() < end) {
      last = weft.run("status").out();
      long up = last.lines().filter(line -> line.matches("\\s+127\\.0\\.0\\.1:[0-9]+\\s+Up\\s.*")).count();
      if (up == count) {
        return;
      }
      Thread.sleep(500);
    }
    throw new AssertionError("waited 60 s for " + count + " members: " + last);
  }

  @Test
  @Timeout(150)
  void shouldServeTheMemoryOfAJvmThatJoinsWhileItIsThere() throws Exception {
    WeftProcess.Answer answer = weft.run("up", "--servers=1", "--memory=" + SERVER_BYTES,
        "--nbd=unix:" + directory.resolve("weft.sock"), "--http=127.0.0.1:0", "--detach");
    assertEquals(0, answer.exitCode(), answer.err());
    Process joined = weft.start("join", weft.address(), "--memory=8M");
    try {
      String export = awaitExport("joined-" + joined.pid());
      String uri = weft.nbd().replace("nbd+unix:///", "nbd+unix:///" + export);
      Ran ran = qemuIo(uri, "write -P 0x31 7M 1M");
      assertTrue(!failed(ran), ran.output());
      assertTrue(!failed(qemuIo(uri, "read -P 0x31 7M 1M")));
    } finally {
      joined.destroy();
      assertTrue(joined.waitFor(45, TimeUnit.SECONDS), "join ends when it is asked to");
    }
    awaitMembers(1);
    assertTrue(!failed(qemuIo(weft.nbd(), "write -P 0x32 0 64k")), "the fabric's own memory goes on");
  }

  private String awaitExport(String prefix) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (System.nanoTime() < end) {
      for (String word : weft.run("status").out().split("\\s+")) {
        if (word.startsWith(prefix) && isExport(word)) {
          return word;
        }
      }
      Thread.sleep(300);
    }
    throw new AssertionError("no export " + prefix + " after 60 s: " + weft.run("status").out() + weft.logs());
  }

  private boolean isExport(String name) throws Exception {
    String text = weft.run("status").out();
    return text.substring(Math.max(0, text.indexOf("Exports"))).contains(name);
  }
}

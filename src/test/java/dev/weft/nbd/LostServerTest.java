package dev.weft.nbd;

import static dev.weft.Waits.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.Waits;
import dev.weft.fabric.rules.Needs;
import dev.weft.pager.nbd.NbdClients;
import dev.weft.pager.nbd.NbdTestClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Memory servers in JVMs of their own: one is killed, one is paused, one joins and leaves. */
@Execution(ExecutionMode.CONCURRENT)
class LostServerTest {
  private static final long SERVER_BYTES = 16L << 20;
  private static final int FLUSH = 3;
  private static final int WRITE_ZEROES = 6;
  private static final int FUA = 1;
  private static final int EIO = 5;

  private WeftProcess weft;
  @TempDir private Path directory;

  /** What a tool answered, and how long it took. */
  private record Ran(int exitCode, String output, long seconds) {}

  @BeforeEach
  void start() throws Exception {
    Needs.program("qemu-io", "qemu-utils");
    weft = new WeftProcess();
  }

  @AfterEach
  void stop() throws Exception {
    if (weft != null) {
      weft.close();
    }
  }

  private void up(int jvms) throws Exception {
    up(weft, jvms);
  }

  private static void up(WeftProcess weft, int jvms) throws Exception {
    WeftProcess.Answer answer = weft.run("up", "--jvms=" + jvms, "--servers=" + (jvms - 1), "--memory=" + SERVER_BYTES,
        "--nbd=127.0.0.1:0", "--http=127.0.0.1:0", "--detach");
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
  @Timeout(180)
  void shouldFailOnlyTheAreaOfAServerThatIsKilledUnderLoad() throws Exception {
    up(3);
    String uri = weft.nbd();
    assertTrue(!failed(qemuIo(uri, "write -P 0x21 0 64k")));
    assertTrue(!failed(qemuIo(uri, "write -P 0x22 " + SERVER_BYTES + " 64k")));
    ProcessHandle victim = weft.memberWith("memory-2");
    try (NbdTestClient bystander = new NbdTestClient(uri).patience(30).go("", false);
        Load living = Load.start(uri, 1 << 20, 4 << 20);
        Load dying = Load.start(uri, SERVER_BYTES + (1 << 20), 4 << 20)) {
      await("load on both areas", 30, () -> living.count() > 100 && dying.count() > 100);
      assertEquals(0, bystander.command(FLUSH, 0, 0, 0));
      long killedNs = System.nanoTime();
      victim.destroyForcibly();
      await("errors in the dead area", 30, () -> dying.errors() > 50);
      int soFar = living.count();
      await("load on the living area after the death was noticed", 30, () -> living.count() > soFar + 100);
      List<Load.Sample> dead = dying.stop();
      List<Load.Sample> alive = living.stop();
      checkDead(dead, killedNs);
      checkAlive(alive, killedNs, firstError(dead).endedNs());
      checkFlush(bystander);
    }
    assertTrue(!failed(qemuIo(uri, "read -P 0x21 0 64k")), "the living area keeps its data");
    Ran lost = qemuIo(uri, "read " + SERVER_BYTES + " 64k");
    assertTrue(failed(lost), lost.output());
    assertTrue(lost.seconds() < 30, "errors come in bounded time");
    WeftProcess.Answer status = weft.run("status");
    assertNotEquals(0, status.exitCode(), "the loss is told: " + status.out());
    awaitMembers(2);
    assertTrue(!failed(qemuIo(uri, "read -P 0x21 0 64k")) && failed(qemuIo(uri, "read " + SERVER_BYTES + " 64k")), "and stays so");
  }

  private static Load.Sample firstError(List<Load.Sample> samples) {
    return samples.stream().filter(sample -> sample.errno() != 0).findFirst().orElseThrow();
  }

  private static void checkDead(List<Load.Sample> samples, long killedNs) {
    Load.Sample first = firstError(samples);
    assertTrue(first.endedNs() - killedNs > 0, "no request failed before the kill");
    for (Load.Sample sample : samples) {
      assertTrue(sample.seconds() < 30, "errors come in bounded time: " + sample);
      if (sample.beganNs() - first.beganNs() >= 0) {
        assertEquals(EIO, sample.errno(), "nothing succeeds in the dead area any more");
      }
    }
  }

  private static void checkAlive(List<Load.Sample> samples, long killedNs, long noticedNs) {
    assertTrue(samples.stream().allMatch(sample -> sample.errno() == 0), "no request to the living area fails");
    long before = samples.stream().filter(sample -> sample.endedNs() - killedNs < 0).count();
    long during = samples.stream().filter(sample -> sample.beganNs() - killedNs > 0 && sample.endedNs() - noticedNs < 0).count();
    long after = samples.stream().filter(sample -> sample.beganNs() - noticedNs > 0).count();
    assertTrue(before > 50 && during + after > 50 && after > 0, before + " requests before, " + during + " while the death was not noticed, "
        + after + " after");
  }

  /** A client that was there is told once; FUA to the living area is not concerned. */
  private void checkFlush(NbdTestClient bystander) throws Exception {
    assertEquals(0, bystander.command(WRITE_ZEROES, FUA, 0x80000, 4096));
    assertEquals(EIO, bystander.command(FLUSH, 0, 0, 0));
    assertEquals(0, bystander.command(FLUSH, 0, 0, 0));
    try (NbdTestClient later = new NbdTestClient(weft.nbd()).go("", false)) {
      assertEquals(0, later.command(FLUSH, 0, 0, 0));
    }
  }

  @Test
  @Timeout(180)
  void shouldCorruptNothingWhenAServerIsPausedForNineSecondsUnderLoad() throws Exception {
    NbdClients.need("fio");
    up(3);
    ProcessHandle paused = weft.memberWith("memory-1");
    Path log = directory.resolve("fio.log");
    // 24 MiB are written and then verified, at a rate that makes each half last some 8 s without the pause.
    Process fio = new ProcessBuilder("fio", "--name=pause", "--ioengine=nbd", "--uri=" + weft.nbd(), "--rw=randwrite", "--bs=4096",
        "--iodepth=16", "--size=24M", "--rate_iops=800", "--verify=crc32c", "--verify_fatal=1", "--randseed=12")
        .directory(directory.toFile()).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      awaitWritten(fio, log, 4 << 20);
      signal("STOP", paused);
      long resumedWritten;
      try {
        Thread.sleep(9_000);
        resumedWritten = weft.device().get("bytesWritten").asLong();
        assertTrue(weft.device().get("inFlight").asInt() > 0, "the load waits for the paused server");
      } finally {
        signal("CONT", paused);
      }
      awaitWritten(fio, log, resumedWritten + (1 << 20));
      assertTrue(fio.waitFor(90, TimeUnit.SECONDS), "fio does not end after the pause");
    } finally {
      fio.destroyForcibly();
    }
    assertEquals(0, fio.exitValue(), Files.readString(log));
    assertTrue(weft.device().get("bytesRead").asLong() >= 24 << 20, "all of it was verified");
    weft.device().get("servers").forEach(server -> {
      assertTrue(server.get("isUp").asBoolean(), server.toString());
      assertEquals(0, server.get("losses").asInt(), "the connection outlived the pause: " + server);
    });
    String status = weft.run("status").out();
    assertTrue(status.contains(" of 17.2 s") && status.contains("RETRIES_HIGH"), "how near it came: " + status);
  }

  private void awaitWritten(Process fio, Path log, long bytes) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (weft.device().get("bytesWritten").asLong() < bytes) {
      assertTrue(fio.isAlive(), "fio ended too early: " + Files.readString(log));
      assertTrue(System.nanoTime() < end, "waited 60 s for " + bytes + " bytes written: " + weft.device());
      Thread.sleep(50);
    }
  }

  private static void signal(String name, ProcessHandle process) throws Exception {
    assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start().waitFor());
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

  /** With a request time-out that is shorter than the pause, so that the connection breaks, whatever the retries of the transport. */
  @Test
  @Timeout(180)
  void shouldConnectAgainToAServerThatWasSilentForLongerThanRequestsWait() throws Exception {
    weft.close();
    // The pause lasts as long as the commands below take, on a busy machine longer than a cluster keeps a silent JVM by default.
    weft = new WeftProcess(List.of(), "-Dweft.pager.client.request-timeout=2s -Dweft.pager.client.reconnect-wait=120s"
        + " -Dakka.cluster.split-brain-resolver.stable-after=50s -Dweft.fabric.cluster.media-driver.client-liveness-timeout=60s"
        + " -Dakka.remote.artery.advanced.give-up-system-message-after=90s");
    up(3);
    String uri = weft.nbd();
    assertTrue(!failed(qemuIo(uri, "write -P 0x41 0 64k")));
    Waits.awaitSeldom("a status without alarms", 60, this::isWell); // A request may have taken 2 s.
    assertEquals(200, httpStatus("/ready"));
    ProcessHandle paused = weft.memberWith("memory-1");
    try (NbdTestClient client = new NbdTestClient(uri).patience(60).go("", false)) {
      signal("STOP", paused);
      int whilePaused;
      try {
        Thread writer = Thread.ofPlatform().start(() -> write(client, 0x10000));
        awaitArea(0, "degraded");
        WeftProcess.Answer status = weft.run("status");
        assertNotEquals(0, status.exitCode(), status.out());
        assertTrue(status.out().contains("AREA_DEGRADED") && status.out().contains("memory-1"), status.out());
        whilePaused = httpStatus("/ready");
        signal("CONT", paused);
        writer.join(60_000);
        assertTrue(!writer.isAlive(), "the write goes on when the server does");
      } finally {
        signal("CONT", paused);
      }
      assertEquals(200, whilePaused, "requests wait, nothing is lost");
      awaitArea(0, "ready");
      assertEquals(0, client.command(FLUSH, 0, 0, 0), "nothing that was acknowledged is missing");
    }
    assertTrue(!failed(qemuIo(uri, "read -P 0x41 0 64k")), "the server has what it had");
    assertTrue(weft.device().get("servers").get(0).get("losses").asInt() > 0, "the connection did break");
    Ran copied = qemuIo(uri, "read -P 0x42 64k 4k");
    assertTrue(!failed(copied), copied.output());
  }

  private boolean isWell() {
    try {
      return weft.run("status").exitCode() == 0;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void write(NbdTestClient client, long offset) {
    try {
      byte[] data = new byte[4096];
      java.util.Arrays.fill(data, (byte) 0x42);
      assertEquals(0, client.write(offset, data));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private int httpStatus(String path) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(HttpRequest.newBuilder(URI.create(weft.http() + path)).build(), HttpResponse.BodyHandlers.discarding()).statusCode();
    }
  }

  private void awaitArea(int area, String state) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    JsonNode found = null;
    while (System.nanoTime() < end) {
      found = weft.get("/weft/pager").path("exports").path(0).path("areas").path(area);
      if (found.path("state").asText().equals(state)) {
        return;
      }
      Thread.sleep(100);
    }
    throw new AssertionError("waited 60 s for area " + area + " to be " + state + ": " + found + weft.logs());
  }

  @Test
  @Timeout(240)
  void shouldPutAJvmThatJoinedInThePlaceOfALostArea() throws Exception {
    up(3);
    String uri = weft.nbd();
    assertTrue(!failed(qemuIo(uri, "write -P 0x51 0 64k")) && !failed(qemuIo(uri, "write -P 0x52 " + SERVER_BYTES + " 64k")));
    weft.memberWith("memory-2").destroyForcibly();
    awaitArea(1, "lost");
    assertEquals(500, httpStatus("/ready"), "a part of the device is lost");
    WeftProcess.Answer status = weft.run("status");
    assertEquals(1, status.exitCode());
    assertTrue(status.out().contains("AREA_LOST") && !status.out().contains("nobody listens there"), status.out());
    Process joined = weft.start("join", weft.address(), "--memory=" + SERVER_BYTES);
    try {
      String node = awaitExport("joined-" + joined.pid());
      WeftProcess.Answer asked = weft.run("pager", "replace", "memory-2", node);
      assertEquals(1, asked.exitCode());
      assertTrue(asked.err().contains("bytes " + SERVER_BYTES + " to " + (2 * SERVER_BYTES - 1)) && asked.err().contains("--yes"), asked.err());
      assertTrue(failed(qemuIo(uri, "read " + SERVER_BYTES + " 64k")), "nothing was done");
      WeftProcess.Answer done = weft.run("pager", "replace", "memory-2", node, "--yes");
      assertEquals(0, done.exitCode(), done.err());
      assertTrue(done.out().contains("bytes " + SERVER_BYTES + " to " + (2 * SERVER_BYTES - 1) + " of export '' read as zeros now"), done.out());
      assertTrue(!failed(qemuIo(uri, "read -P 0 " + SERVER_BYTES + " 64k")), "zeros");
      assertTrue(!failed(qemuIo(uri, "read -P 0x51 0 64k")), "the other area keeps its data");
      assertTrue(!failed(qemuIo(uri, "write -P 0x53 " + SERVER_BYTES + " 64k")) && !failed(qemuIo(uri, "read -P 0x53 " + SERVER_BYTES + " 64k")));
      assertEquals(200, httpStatus("/ready"));
      WeftProcess.Answer healed = weft.run("status");
      assertEquals(0, healed.exitCode(), "nothing is missing any more: " + healed.out());
      assertEquals(1, weft.get("/weft/pager").path("exports").size(), "its memory is no export of its own any more");
    } finally {
      joined.destroy();
      assertTrue(joined.waitFor(45, TimeUnit.SECONDS), "join ends when it is asked to");
    }
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
      String uri = weft.get("/weft/pager").path("exports").path(1).path("nbd").asText();
      assertEquals(weft.nbd().replace("nbd+unix:///", "nbd+unix:///" + export), uri, "what is written there must not be the main device's");
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

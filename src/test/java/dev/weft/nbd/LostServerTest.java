package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.Signals;
import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.Waits;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Memory servers in JVMs of their own: one is killed, one is paused, one joins and leaves. */
@Tag("client")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(600)
class LostServerTest {
  private static final long SERVER_BYTES = 16L << 20;
  private static final int FLUSH = 3;
  private static final int WRITE_ZEROES = 6;
  private static final int FUA = 1;
  private static final int EIO = 5;
  /** Until a request fails whose server is gone; the detection takes 12 s on a machine at rest. */
  private static final int ERROR_WITHIN_S = 60;

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
    Waits.until("qemu-io '" + command + "' to end", () -> !process.isAlive(), () -> Files.readString(out) + weft.logs());
    return new Ran(process.exitValue(), Files.readString(out), TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
  }

  private static boolean failed(Ran ran) {
    return ran.exitCode() != 0 || ran.output().contains("failed") || ran.output().contains("error");
  }

  @Test
  void shouldFailOnlyTheAreaOfAServerThatIsKilledUnderLoad() throws Exception {
    up(3);
    String uri = weft.nbd();
    assertTrue(!failed(qemuIo(uri, "write -P 0x21 0 64k")));
    assertTrue(!failed(qemuIo(uri, "write -P 0x22 " + SERVER_BYTES + " 64k")));
    ProcessHandle victim = weft.memberWith("memory-2");
    try (NbdTestClient bystander = new NbdTestClient(uri).patience(Waits.PATIENCE_S).go("", false);
        Load living = Load.start(uri, 1 << 20, 4 << 20);
        Load dying = Load.start(uri, SERVER_BYTES + (1 << 20), 4 << 20)) {
      Waits.until("100 requests to each area", () -> living.count() > 100 && dying.count() > 100, () -> living + "; " + dying);
      assertEquals(0, bystander.command(FLUSH, 0, 0, 0));
      long killedNs = System.nanoTime();
      victim.destroyForcibly();
      Waits.until("50 errors in the dead area", () -> dying.errors() > 50, () -> dying + weft.logs());
      int soFar = living.count();
      Waits.until("100 requests to the living area after the death was noticed", () -> living.count() > soFar + 100, () -> living + weft.logs());
      List<Load.Sample> dead = dying.stop();
      List<Load.Sample> alive = living.stop();
      checkDead(dead, killedNs);
      checkAlive(alive, killedNs, firstError(dead).endedNs());
      checkFlush(bystander);
    }
    assertTrue(!failed(qemuIo(uri, "read -P 0x21 0 64k")), "the living area keeps its data");
    Ran lost = qemuIo(uri, "read " + SERVER_BYTES + " 64k");
    assertTrue(failed(lost), lost.output());
    assertTrue(lost.seconds() < ERROR_WITHIN_S, "errors come in bounded time");
    weft.awaitStatus("the loss in the status", status -> status.exitCode() != 0 && status.out().contains("AREA_LOST"));
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
      assertTrue(sample.seconds() < ERROR_WITHIN_S, "errors come in bounded time: " + sample);
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
      Process pause = Signals.pause(paused.pid(), 9_000);
      Waits.seen("the load to wait for the paused server", weft::device, device -> {
        assertTrue(pause.isAlive(), "the pause ended before the load waited: " + device);
        return device.path("inFlight").asInt() > 0;
      });
      Signals.awaitEnd(pause);
      awaitWritten(fio, log, weft.device().get("bytesWritten").asLong() + (1 << 20));
      Waits.until("fio to end after the pause", () -> !fio.isAlive(), () -> Files.readString(log) + weft.logs());
    } finally {
      fio.destroyForcibly();
    }
    assertEquals(0, fio.exitValue(), Files.readString(log));
    assertTrue(weft.device().get("bytesRead").asLong() >= 24 << 20, "all of it was verified");
    weft.device().get("servers").forEach(server -> {
      assertTrue(server.get("isUp").asBoolean(), server.toString());
      assertEquals(0, server.get("losses").asInt(), "the connection outlived the pause: " + server);
    });
    weft.awaitStatus("how near it came", status -> status.out().contains(" of 17.2 s") && status.out().contains("RETRIES_HIGH"));
  }

  private void awaitWritten(Process fio, Path log, long bytes) throws Exception {
    Waits.until(bytes + " bytes to be written", () -> {
      assertTrue(fio.isAlive(), "fio ended too early: " + Files.readString(log));
      return weft.device().get("bytesWritten").asLong() >= bytes;
    }, weft::device);
  }

  private void awaitMembers(int count) {
    Waits.seen(count + " members", () -> weft.get("/weft/status").path("cluster").path("members"),
        members -> members.valueStream().filter(member -> member.path("status").asText().equals("Up")).count() == count);
  }

  /** With a request time-out that is shorter than the pause, so that the connection breaks, whatever the retries of the transport. */
  @Test
  void shouldConnectAgainToAServerThatWasSilentForLongerThanRequestsWait() throws Exception {
    weft.close();
    // The pause lasts until the state is seen, on a busy machine longer than a cluster keeps a silent JVM by default. No command looks: each starts a JVM.
    weft = new WeftProcess(List.of(), "-Dweft.pager.client.request-timeout=2s -Dweft.pager.client.reconnect-wait=120s"
        + " -Dakka.cluster.split-brain-resolver.stable-after=50s"
        + " -Dakka.remote.artery.advanced.give-up-system-message-after=90s");
    up(3);
    String uri = weft.nbd();
    assertTrue(!failed(qemuIo(uri, "write -P 0x41 0 64k")));
    weft.awaitStatus("a status without alarms", status -> status.exitCode() == 0); // A request may have taken 2 s.
    awaitReady(200);
    ProcessHandle paused = weft.memberWith("memory-1");
    try (NbdTestClient client = new NbdTestClient(uri).patience(Waits.PATIENCE_S).go("", false)) {
      Signals.send("STOP", paused.pid());
      int whilePaused;
      try {
        Thread writer = Thread.ofPlatform().start(() -> write(client, 0x10000));
        awaitArea(0, "degraded");
        Waits.seen("the alarm of the degraded area", () -> weft.get("/weft/status").path("alarms").toString(),
            alarms -> alarms.contains("AREA_DEGRADED"));
        whilePaused = httpStatus("/ready");
        Signals.send("CONT", paused.pid());
        Waits.until("the write to go on when the server does", () -> !writer.isAlive(), () -> weft.device() + weft.logs());
      } finally {
        Signals.send("CONT", paused.pid());
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

  private void awaitReady(int answer) {
    Waits.seen("the answer " + answer + " of /ready", () -> httpStatus("/ready"), status -> status == answer);
  }

  private void awaitArea(int area, String state) {
    Waits.seen("area " + area + " to be " + state, () -> weft.get("/weft/pager").path("exports").path(0).path("areas").path(area),
        found -> found.path("state").asText().equals(state));
  }

  @Test
  void shouldPutAJvmThatJoinedInThePlaceOfALostArea() throws Exception {
    up(3);
    String uri = weft.nbd();
    assertTrue(!failed(qemuIo(uri, "write -P 0x51 0 64k")) && !failed(qemuIo(uri, "write -P 0x52 " + SERVER_BYTES + " 64k")));
    weft.memberWith("memory-2").destroyForcibly();
    awaitArea(1, "lost");
    awaitReady(500); // A part of the device is lost.
    weft.awaitStatus("the lost area, and the JVM that is gone in no row", status -> status.exitCode() == 1 && status.out().contains("AREA_LOST")
        && !status.out().contains("no program listens there"));
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
      awaitReady(200);
      // The member that was killed is Down for a while before it is removed.
      weft.awaitStatus("a status in which nothing is missing any more", status -> status.exitCode() == 0);
      assertEquals(1, weft.get("/weft/pager").path("exports").size(), "its memory is no export of its own any more");
    } finally {
      joined.destroy();
      Waits.until("join to end when it is asked to", () -> !joined.isAlive(), weft::logs);
    }
  }

  @Test
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
      Waits.until("join to end when it is asked to", () -> !joined.isAlive(), weft::logs);
    }
    awaitMembers(1);
    assertTrue(!failed(qemuIo(weft.nbd(), "write -P 0x32 0 64k")), "the fabric's own memory goes on");
  }

  private String awaitExport(String prefix) {
    JsonNode exports = Waits.seen("an export " + prefix, () -> weft.get("/weft/pager").path("exports"), all -> names(all, prefix).size() == 1);
    return names(exports, prefix).getFirst();
  }

  private static List<String> names(JsonNode exports, String prefix) {
    return exports.valueStream().map(export -> export.path("name").asText()).filter(name -> name.startsWith(prefix)).toList();
  }
}

package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.capture.Pcapng;
import dev.weft.fabric.rules.Waits;
import dev.weft.service.process.CaptureKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Tag("slow")
@Tag("actor")
@Timeout(180)
@Isolated("takes all direct memory, and counts it")
class CaptureRouteTest {
  private static final HttpAccess OPEN = HttpAccess.NONE;
  private static final String IDLE = ", weft.http.idle-timeout = 3 s";
  private static final int OPCODE_OFFSET = 28 + 42;
  private static final int WRITE_ONLY = 10;
  private static final int ACKNOWLEDGE = 17;

  private Bed bed;
  private CaptureClient client;

  private void start(String settings) throws Exception {
    bed = new Bed(ConfigFactory.parseString("weft.fabric.capture.queue-size = 1 MiB" + settings), inspection -> inspection);
    client = new CaptureClient(OPEN);
  }

  @AfterEach
  void stop() {
    client.close();
    bed.close();
  }

  private static byte[] block(InputStream in) throws Exception {
    byte[] head = in.readNBytes(8);
    assertEquals(8, head.length, "the stream has ended");
    int length = Pcapng.wrap(head).getInt(4);
    byte[] block = new byte[length];
    System.arraycopy(head, 0, block, 0, 8);
    assertEquals(length - 8, in.readNBytes(block, 8, length - 8));
    return block;
  }

  /** The next packets, without what comes between them. */
  private static List<byte[]> packets(InputStream in, int count) throws Exception {
    List<byte[]> packets = new ArrayList<>();
    while (packets.size() < count) {
      byte[] block = block(in);
      if (Pcapng.wrap(block).getInt(0) == Pcapng.ENHANCED_PACKET) {
        packets.add(block);
      }
    }
    return packets;
  }

  @Test
  void shouldStreamEachPacketOnceBetweenTwoNodesOfTheJvm() throws Exception {
    start("");
    try (InputStream in = client.open(bed.uri(), bed.captureKey, false)) {
      assertEquals(Pcapng.SECTION_HEADER, Pcapng.wrap(block(in)).getInt(0));
      assertTrue(new String(block(in), StandardCharsets.UTF_8).contains("local"), "the interface has the name of the JVM");
      bed.a.write(bed.b, 100);
      bed.a.write(bed.b, 100);
      List<Integer> opcodes = packets(in, 4).stream().map(packet -> packet[OPCODE_OFFSET] & 0xff).toList();
      assertEquals(List.of(WRITE_ONLY, ACKNOWLEDGE, WRITE_ONLY, ACKNOWLEDGE), opcodes);
    }
  }

  @Test
  void shouldSayThatItGoesOnWhileThereAreNoPackets() throws Exception {
    start(IDLE);
    try (InputStream in = client.open(bed.uri(), bed.captureKey, false)) {
      block(in);
      block(in);
      for (int i = 0; i < 40; i++) { // For longer than a connection may be idle.
        assertEquals(Pcapng.INTERFACE_STATISTICS, Pcapng.wrap(block(in)).getInt(0));
      }
    }
  }

  @Test
  void shouldRefuseASecondOneUntilTheClientOfTheFirstHasGone() throws Exception {
    start("");
    InputStream first = client.open(bed.uri(), bed.captureKey, false);
    Bed.Answer second = bed.get("/weft/capture");
    assertEquals(409, second.status());
    assertTrue(second.body().contains("another capture runs at local"), second.body());
    bed.a.write(bed.b, 100);
    packets(first, 1);
    first.close();
    Waits.until("the end of the first", () -> !bed.capture.isBusy());
    client.open(bed.uri(), bed.captureKey, true).close();
  }

  @Test
  void shouldEndWithAClientThatStopsReading() throws Exception {
    start(IDLE);
    try (Socket socket = new Socket("127.0.0.1", bed.uri().getPort())) {
      OutputStream out = socket.getOutputStream();
      out.write(("GET /weft/capture HTTP/1.1\r\nHost: 127.0.0.1\r\n" + CaptureKey.HEADER + ": " + bed.captureKey.text() + "\r\n\r\n")
          .getBytes(StandardCharsets.US_ASCII));
      assertEquals('H', socket.getInputStream().read());
      Waits.until("the capture", bed.capture::isBusy);
      Waits.until("the end of it", () -> {
        for (int i = 0; i < 20 && bed.capture.isBusy(); i++) {
          bed.a.write(bed.b, Bed.BUFFER);
        }
        return !bed.capture.isBusy();
      });
    }
  }

  @Test
  void shouldTellHowManyPacketsWereLostWhileNobodyRead() throws Exception {
    start("");
    try (InputStream in = client.open(bed.uri(), bed.captureKey, false)) {
      long dropped = 0;
      while (dropped == 0) {
        for (int i = 0; i < 100; i++) {
          bed.a.write(bed.b, Bed.BUFFER);
        }
        byte[] block = block(in);
        while (Pcapng.wrap(block).getInt(0) != Pcapng.INTERFACE_STATISTICS) {
          block = block(in);
        }
        dropped = Pcapng.wrap(block).getLong(Pcapng.DROPPED_OFFSET);
      }
    }
  }

  @Test
  void shouldEndProperlyWhenTheJvmDoes() throws Exception {
    start("");
    try (InputStream in = client.open(bed.uri(), bed.captureKey, false)) {
      bed.a.write(bed.b, 100);
      bed.http.close();
      byte[] all = in.readAllBytes();
      assertEquals(Pcapng.INTERFACE_STATISTICS, Pcapng.wrap(all).getInt(all.length - Pcapng.STATISTICS_LENGTH));
    }
  }

  @Test
  void shouldGiveItsPlaceBackWhereNobodyReadsTheAnswer() throws Exception {
    start("");
    assertEquals(200, bed.call("HEAD", "/weft/capture").status());
    Waits.until("the end of it", () -> !bed.capture.isBusy());
  }

  @Test
  void shouldNeedTheMemoryOfOneQueueForManyCaptures() throws Exception {
    bed = new Bed(ConfigFactory.parseString("weft.fabric.capture.queue-size = 64 MiB"), inspection -> inspection);
    client = new CaptureClient(OPEN);
    BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
    long before = direct.getMemoryUsed();
    for (int i = 0; i < 5; i++) {
      client.open(bed.uri(), bed.captureKey, false).close();
      Waits.until("the end of the last", () -> !bed.capture.isBusy());
    }
    assertTrue(direct.getMemoryUsed() < before + (160 << 20), () -> direct.getMemoryUsed() - before + " bytes more");
  }

  @Test
  void shouldSayThatThereIsNoMemoryAndGoOn() throws Exception {
    bed = new Bed(ConfigFactory.parseString("weft.fabric.capture.queue-size = 256 MiB"), inspection -> inspection);
    client = new CaptureClient(OPEN);
    List<ByteBuffer> hogs = new ArrayList<>();
    try {
      while (true) {
        hogs.add(ByteBuffer.allocateDirect(64 << 20));
      }
    } catch (OutOfMemoryError full) {
      assertTrue(!hogs.isEmpty());
    }
    Bed.Answer answer = bed.get("/weft/capture");
    hogs.forEach(BufferUtil::free);
    assertEquals(503, answer.status(), answer.body());
    assertTrue(answer.body().contains("lower weft.fabric.capture.queue-size"), answer.body());
    assertTrue(!bed.capture.isBusy());
    assertEquals(200, bed.get("/weft/status").status());
  }

  /** Another user of this host can open the port. */
  @Test
  void shouldShowPacketsToNobodyWithoutTheKey() throws Exception {
    start("");
    String key = bed.captureKey.text();
    for (String shown : List.of("x", key.substring(1), key + "0", key.toUpperCase(Locale.ROOT) + "x", CaptureKey.draw().text())) {
      Bed.Answer answer = bed.call("GET", "/weft/capture", shown);
      assertEquals(403, answer.status());
      assertTrue(answer.body().contains("local shows them to its own user only"), answer.body());
    }
    assertEquals(403, statusWithoutKey(""), "without the header");
    assertTrue(!bed.capture.isBusy());
    assertTrue(assertThrows(IOException.class, () -> client.open(bed.uri(), CaptureKey.UNKNOWN, false)).getMessage()
        .contains("run 'weft capture' on its host as the user who started it"));
    client.open(bed.uri(), bed.captureKey, false).close();
  }

  private int statusWithoutKey(String query) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(bed.uri() + "/weft/capture" + query)).timeout(Duration.ofSeconds(10)).build();
    return bed.client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  @Test
  void shouldTakeTheTokenForTheKey(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("token"), "a-token-of-some-length-0123456789\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    start(", weft.http.token-file = \"" + file + "\"");
    assertEquals(401, statusWithoutKey(""));
    try (CaptureClient withToken = new CaptureClient(new HttpAccess(null, file)); InputStream in = withToken.open(bed.uri(), CaptureKey.UNKNOWN, false)) {
      assertEquals(Pcapng.SECTION_HEADER, Pcapng.wrap(block(in)).getInt(0));
    }
  }

  @Test
  void shouldRefuseABadQueryAndOtherMethods() throws Exception {
    start("");
    for (String[] wrong : new String[][] {{"?limit=3", "unknown parameter limit"}, {"?sent=maybe", "true or false"}}) {
      Bed.Answer answer = bed.get("/weft/capture" + wrong[0]);
      assertEquals(400, answer.status());
      assertTrue(answer.body().contains(wrong[1]), answer.body());
    }
    assertEquals(405, bed.call("POST", "/weft/capture").status());
    assertEquals(404, bed.get("/weft/capture/x").status());
    assertTrue(!bed.capture.isBusy());
  }
}

package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.Waits;
import dev.weft.service.process.CaptureKey;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that ask for nothing, ask slowly, or ask for much, while somebody wants to know whether the fabric lives. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class ConnectionLimitTest {
  private static final String SMALL = "weft.http.connections-max = 4\n";

  private static Socket connect(Bed bed) throws IOException {
    Socket socket = new Socket("127.0.0.1", bed.uri().getPort());
    socket.setSoTimeout(60_000);
    return socket;
  }

  private static void say(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Until the other side ends the connection. */
  private static void awaitEnd(Socket socket) {
    try {
      InputStream in = socket.getInputStream();
      int had;
      do {
        had = in.read();
      } while (had >= 0);
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the connection still lives after 60 s", e);
    } catch (IOException reset) {
      return;
    }
  }

  private static boolean isOpen(Socket socket) throws IOException {
    socket.setSoTimeout(1);
    try {
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException open) {
      return true;
    } catch (IOException reset) {
      return false;
    }
  }

  private static boolean isServed(Bed bed) throws Exception {
    try {
      return bed.get("/weft").status() == 200;
    } catch (IOException ended) {
      return false; // Before it was answered: there were more connections than may be.
    }
  }

  @Test
  void shouldServeAgainWhenClientsHaveGoneThatAskedMuchAndReadNothing() throws Exception {
    try (Bed bed = new Bed(ConfigFactory.parseString(SMALL), inspection -> inspection)) {
      for (int i = 0; i < 40; i++) {
        try (Socket socket = connect(bed)) {
          say(socket, "GET /weft/settings HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200));
        } catch (SocketException ended) {
          continue; // There were too many, and it waited longest.
        }
      }
      Waits.until("an answer", () -> isServed(bed));
    }
  }

  @Test
  void shouldAnswerHealthChecksBesideConnectionsThatSendNoWholeRequest() throws Exception {
    List<Socket> held = new ArrayList<>();
    try (Bed bed = new Bed(ConfigFactory.parseString(SMALL), inspection -> inspection)) {
      for (int i = 0; i < 300; i++) {
        Socket socket = connect(bed);
        held.add(socket);
        say(socket, i % 2 == 0 ? "GET /weft HTTP/1.1\r\nX: " : "");
      }
      assertEquals(200, bed.get("/alive").status());
      assertEquals(200, bed.get("/ready").status());
      assertEquals(200, bed.get("/weft/status").status());
      for (int i = 0; i < 290; i++) {
        awaitEnd(held.get(i));
      }
    } finally {
      for (Socket socket : held) {
        socket.close();
      }
    }
  }

  @Test
  void shouldEndAConnectionThatDoesNotFinishItsRequest() throws Exception {
    try (Bed bed = new Bed(ConfigFactory.parseString("weft.http { header-timeout = 1 s, idle-timeout = 1 h }"), inspection -> inspection);
        Socket slow = connect(bed)) {
      CountDownLatch ended = new CountDownLatch(1);
      Thread.ofVirtual().start(() -> {
        awaitEnd(slow);
        ended.countDown();
      });
      say(slow, "GET /alive HTTP/1.1\r\nHost: localhost\r\nX: ");
      for (int i = 0; i < 600 && !ended.await(100, TimeUnit.MILLISECONDS); i++) {
        try {
          say(slow, "x");
        } catch (IOException reset) {
          break;
        }
      }
      assertTrue(ended.await(60, TimeUnit.SECONDS), "a letter now and then does not keep it");
    }
  }

  @Test
  void shouldKeepAConnectionWhoseAnswerIsAStream() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try (Bed bed = new Bed(ConfigFactory.parseString("weft.http { header-timeout = 100 ms, connections-max = 4 }"), inspection -> inspection)) {
      HttpRequest capture = HttpRequest.newBuilder(URI.create(bed.uri() + "/weft/capture"))
          .header(CaptureKey.HEADER, bed.captureKey().text()).build();
      try (InputStream packets = bed.client.send(capture, HttpResponse.BodyHandlers.ofInputStream()).body()) {
        assertTrue(packets.read() >= 0);
        for (int i = 0; i < 20; i++) {
          idle.add(connect(bed));
        }
        awaitEnd(idle.getFirst());
        assertEquals(200, bed.get("/alive").status());
        bed.a.write(bed.b, 100);
        bed.a.write(bed.b, 100);
        assertTrue(packets.readNBytes(500).length == 500, "it still gets packets");
      }
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  @Test
  void shouldAnswerHealthChecksWhileAllConnectionsHaveARequestInWork() throws Exception {
    CompletableFuture<String> later = new CompletableFuture<>();
    AtomicInteger begun = new AtomicInteger();
    Supplier<CompletionStage<String>> content = () -> {
      begun.incrementAndGet();
      return later;
    };
    List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
    try (Bed bed = new Bed(ConfigFactory.parseString(SMALL + "weft.http.ask-timeout = 1 m"),
        inspection -> inspection.withSection("late", content))) {
      HttpRequest late = HttpRequest.newBuilder(URI.create(bed.uri() + "/weft/late")).build();
      for (int i = 0; i < 4; i++) {
        asked.add(bed.client.sendAsync(late, HttpResponse.BodyHandlers.ofString()));
      }
      for (int i = 0; i < 600 && begun.get() < 4; i++) {
        Thread.sleep(100);
      }
      assertEquals(4, begun.get());
      Bed.Answer answer = bed.get("/weft/switch");
      assertEquals(503, answer.status());
      assertTrue(answer.body().contains("all 4 connections have a request in work"), answer.body());
      assertEquals(200, bed.get("/alive").status());
      later.complete("now");
      for (CompletableFuture<HttpResponse<String>> each : asked) {
        assertEquals(200, each.get(60, TimeUnit.SECONDS).statusCode());
      }
      assertEquals(200, bed.get("/weft/switch").status());
      try (Socket fresh = connect(bed)) {
        assertTrue(isOpen(fresh));
      }
    }
  }
}

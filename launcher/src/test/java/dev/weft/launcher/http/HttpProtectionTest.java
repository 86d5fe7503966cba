package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.tls.TlsFiles;
import dev.weft.pager.nbd.TestCertificates;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("jvms")
@Timeout(180)
class HttpProtectionTest {
  private static final String TOKEN = "0123456789abcdef0123456789ABCDEF";
  @TempDir Path directory;

  private Path tokenFile(String content, String permissions) throws IOException {
    Path file = Files.writeString(directory.resolve("token"), content);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void shouldAnswerOverTlsThoseWhoHaveTheToken() throws Exception {
    Path ours = TestCertificates.make(directory.resolve("ours"));
    Path strangers = TestCertificates.make(directory.resolve("strangers"));
    HttpAccess access = new HttpAccess(new TlsFiles(ours), tokenFile(TOKEN + "\n", "rw-------"));
    try (Bed bed = new Bed();
        HttpService https = HttpService.start(bed.fabric.system(), inspection(bed), () -> true, settings("127.0.0.1", true, false, access));
        HttpClient client = HttpClient.newBuilder().sslContext(new TlsFiles(ours).client()).build();
        HttpClient stranger = HttpClient.newBuilder().sslContext(new TlsFiles(strangers).client()).build()) {
      assertEquals("https", https.uri().getScheme());
      for (String path : List.of("/weft/status", "/weft/nodes/a/hca", "/alive", "/nowhere")) {
        for (String wrong : List.of("", "Bearer", "Bearer ", TOKEN, "Basic " + TOKEN, "Bearer " + TOKEN + "0",
            "Bearer " + TOKEN.substring(1))) {
          HttpResponse<String> refused = get(client, https, path, wrong);
          assertEquals(401, refused.statusCode(), path + " with " + wrong);
          assertTrue(refused.headers().firstValue("WWW-Authenticate").orElse("").startsWith("Bearer"));
          assertFalse(refused.body().contains(TOKEN));
        }
      }
      assertEquals(200, get(client, https, "/weft/status", "Bearer " + TOKEN).statusCode());
      assertEquals(200, get(client, https, "/alive", "bearer " + TOKEN).statusCode());
      assertThrows(SSLException.class, () -> get(stranger, https, "/weft/status", "Bearer " + TOKEN));
      assertThrows(IOException.class, () -> client.send(HttpRequest.newBuilder(URI.create(https.uri().toString().replace("https", "http")))
          .timeout(Duration.ofSeconds(5)).build(), HttpResponse.BodyHandlers.ofString()));

      Duration patience = Duration.ofSeconds(10);
      assertEquals(0, StatusReport.fetch(List.of(https.uri()), patience, access).exitCode());
      StatusReport unknown = StatusReport.fetch(List.of(https.uri()), patience, new HttpAccess(new TlsFiles(strangers), access.tokenFile()));
      assertTrue(unknown.jvms().getFirst().problem().contains("ca-cert.pem"), unknown::toText);
      StatusReport nameless = StatusReport.fetch(List.of(https.uri()), patience, new HttpAccess(new TlsFiles(ours), null));
      assertTrue(nameless.jvms().getFirst().problem().contains("token-file"), nameless::toText);
    }
  }

  @Test
  void shouldLeaveTheMachineOnlyWithTlsAndToken() throws Exception {
    TlsFiles tls = new TlsFiles(directory);
    Path token = directory.resolve("token");
    for (HttpAccess weak : List.of(HttpAccess.NONE, new HttpAccess(tls, null), new HttpAccess(null, token))) {
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> settings("0.0.0.0", true, false, weak).bindAddress(), weak::toString);
      assertTrue(refused.getMessage().contains("allow-unprotected"), refused::getMessage);
      assertEquals("0.0.0.0", settings("0.0.0.0", true, true, weak).bindAddress().getHostAddress());
      assertEquals("127.0.0.1", settings("127.0.0.1", false, false, weak).bindAddress().getHostAddress());
    }
    HttpAccess strong = new HttpAccess(tls, token);
    assertEquals("0.0.0.0", settings("0.0.0.0", true, false, strong).bindAddress().getHostAddress());
    assertThrows(IllegalArgumentException.class, () -> settings("0.0.0.0", false, true, strong).bindAddress());
  }

  @Test
  void shouldRefuseTokensThatAreShortOrOpenToAllWithoutQuotingThem() throws Exception {
    for (String bad : List.of("", "short", "with a space in the middle of it 0123456789", "\u00e4".repeat(40))) {
      HttpAccess access = new HttpAccess(null, tokenFile(bad, "rw-------"));
      IOException refused = assertThrows(IOException.class, access::readToken);
      assertTrue(refused.getMessage().contains("openssl rand"), refused::getMessage);
      assertTrue(bad.isEmpty() || !refused.getMessage().contains(bad), refused::getMessage);
    }
    IOException open = assertThrows(IOException.class, new HttpAccess(null, tokenFile(TOKEN, "rw-r--r--"))::readToken);
    assertTrue(open.getMessage().contains("chmod 600"), open::getMessage);
    assertEquals(TOKEN, new HttpAccess(null, tokenFile(TOKEN + "\nmore\n", "rw-------")).readToken());
  }

  @Test
  void shouldReadTheSettings() {
    Config config = ConfigFactory.parseString("weft { http { tls = on, token-file = \"/t\" }, tls.certificates = \"/c\" }")
        .withFallback(ConfigFactory.load());
    assertTrue(HttpAccess.from(config).tls());
    assertEquals(Path.of("/t"), HttpAccess.from(config).tokenFile());
    assertEquals(HttpAccess.NONE, HttpAccess.from(ConfigFactory.load()));
    assertThrows(IllegalArgumentException.class, () -> HttpAccess.from(config.withValue("weft.tls.certificates",
        com.typesafe.config.ConfigValueFactory.fromAnyRef(""))));
  }

  private static HttpSettings settings(String host, boolean allowRemote, boolean allowUnprotected, HttpAccess access) {
    HttpSettings defaults = HttpSettings.from(ConfigFactory.load());
    return new HttpSettings(host, 0, allowRemote, allowUnprotected, access, defaults.askTimeout(), defaults.headerTimeout(), defaults.idleTimeout(), 64, 1000);
  }

  private static HttpResponse<String> get(HttpClient client, HttpService service, String path, String authorization) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(service.uri() + path)).timeout(Duration.ofSeconds(10));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static Inspection inspection(Bed bed) {
    return Inspection.of("local", () -> bed.nodes, bed.fabric.leafSwitch(), bed.fabric.directory(), bed.fabric.dispatcher());
  }
}

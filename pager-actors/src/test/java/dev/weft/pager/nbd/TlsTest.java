package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.tls.TlsFiles;
import dev.weft.pager.RamBlockDevice;
import dev.weft.pager.nbd.NbdTestClient.OptionReply;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("client")
@Timeout(180)
class TlsTest {
  private static final int SIZE = 32 << 20;
  private static final byte[] NOTHING = new byte[0];

  @TempDir static Path certificates;
  private static Path ours;
  private static Path strangers;

  @TempDir Path directory;
  private RamBlockDevice device;
  private NbdServer server;

  @BeforeAll
  static void makeCertificates() throws Exception {
    ours = TestCertificates.make(certificates.resolve("ours"));
    strangers = TestCertificates.make(certificates.resolve("strangers"));
  }

  private static String overrides(String more) {
    return "weft.tls.certificates = \"" + ours + "\"\n weft.pager.nbd { " + more + " }";
  }

  private void serve(String more) throws Exception {
    device = new RamBlockDevice(SIZE, 130_048, 64, Runnable::run);
    server = NbdServing.serve(overrides(more), device);
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      NbdServing.untilIdle(device, server);
      server.close();
      device.close();
    }
  }

  private NbdClients clients(String scheme, Path tlsCertificates) {
    String address = server.uris().getFirst().replaceFirst("^nbds?:", scheme + ":");
    return new NbdClients(address + (tlsCertificates == null ? "" : "/?tls-certificates=" + tlsCertificates), directory);
  }

  @Test
  void shouldSatisfyLibnbdWithClientCertificate() throws Exception {
    serve("tls = require");
    assertTrue(server.uris().getFirst().startsWith("nbds://"), server.uris()::toString);
    NbdClients clients = clients("nbds", ours);
    clients.inspect(SIZE);
    Path tree = Files.createDirectories(directory.resolve("tree/sub"));
    byte[] noise = new byte[3_000_000];
    new Random(7).nextBytes(noise);
    Files.write(tree.resolve("noise"), noise);
    clients.copyFileSystem(tree.getParent(), 16 << 20);
  }

  @Test
  void shouldSatisfyQemuOverTls() throws Exception {
    serve("tls = require");
    clients("nbds", null).qemuIoOverTls(ours);
  }

  @Test
  void shouldRefuseClientsWithoutTlsWhenItIsRequired() throws Exception {
    serve("tls = require");
    clients("nbd", null).refused("requires TLS");
  }

  @Test
  void shouldBeRefusedByClientsThatDoNotKnowItsAuthority() throws Exception {
    serve("tls = require, tls-verify-client = false");
    clients("nbds", ours).inspect(SIZE);
    clients("nbds", strangers).refused("certificate");
  }

  @Test
  void shouldRefuseClientsWhoseCertificateAnotherAuthoritySigned() throws Exception {
    serve("tls = require");
    Path mixed = Files.createDirectories(directory.resolve("mixed"));
    Files.copy(ours.resolve("ca-cert.pem"), mixed.resolve("ca-cert.pem"));
    clients("nbds", mixed).refused("TLS"); // No certificate at all.
    for (String file : List.of("client-cert.pem", "client-key.pem")) {
      Files.copy(strangers.resolve(file), mixed.resolve(file));
    }
    clients("nbds", mixed).refused("TLS");
  }

  @Test
  void shouldLetClientsChooseWhenTlsIsOn() throws Exception {
    serve("tls = on");
    clients("nbd", null).inspect(SIZE);
    clients("nbds", ours).inspect(SIZE);
  }

  @Test
  void shouldAnswerEveryOptionButStartTlsWithTlsRequired() throws Exception {
    serve("tls = require");
    try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).greet()) {
      byte[] go = NbdTestClient.infoData("");
      for (int option : new int[] {3, 6, 7, 8, 9, 10, 99}) {
        assertEquals(Nbd.REP_ERR_TLS_REQD, client.option(option, option == 6 || option == 7 ? go : NOTHING).getLast().type(),
            "option " + option);
      }
      assertEquals(Nbd.REP_ERR_INVALID, client.option(5, new byte[1]).getLast().type());
      client.sendOption(1, NOTHING);
      assertTrue(client.isClosedByServer(), "EXPORT_NAME without TLS ends the connection");
    }
  }

  @Test
  void shouldForgetWhatWasNegotiatedBeforeTls() throws Exception {
    serve("tls = on, tls-verify-client = false");
    try (NbdTestClient plain = new NbdTestClient(server.uris().getFirst()).greet()) {
      plain.option(8, NOTHING);
      plain.option(10, NbdTestClient.contextData("", "base:allocation"));
      OptionReply ack = plain.option(5, NOTHING).getLast();
      assertEquals(Nbd.REP_ACK, ack.type());
      try (SSLSocket tls = (SSLSocket) new TlsFiles(ours).client().getSocketFactory().createSocket(plain.socket, "localhost", 1, true)) {
        DataOutputStream out = new DataOutputStream(tls.getOutputStream());
        DataInputStream in = new DataInputStream(tls.getInputStream());
        assertEquals(Nbd.REP_ERR_INVALID, option(out, in, 10, NbdTestClient.contextData("", "base:allocation")),
            "structured replies are forgotten");
        assertEquals(Nbd.REP_ERR_INVALID, option(out, in, 5, NOTHING), "TLS is on already");
        assertEquals(Nbd.REP_ACK, option(out, in, 8, NOTHING));
      }
    }
  }

  private static int option(DataOutputStream out, DataInputStream in, int option, byte[] data) throws IOException {
    out.writeLong(Nbd.OPTION_MAGIC);
    out.writeInt(option);
    out.writeInt(data.length);
    out.write(data);
    assertEquals(Nbd.OPTION_REPLY_MAGIC, in.readLong());
    assertEquals(option, in.readInt());
    int type = in.readInt();
    in.readNBytes(in.readInt());
    return type;
  }

  @Test
  void shouldCloseWhenPlainBytesFollowStartTls() throws Exception {
    serve("tls = require");
    try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).greet()) {
      java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
      DataOutputStream both = new DataOutputStream(bytes);
      for (int option : new int[] {5, 3}) {
        both.writeLong(Nbd.OPTION_MAGIC);
        both.writeInt(option);
        both.writeInt(0);
      }
      client.out.write(bytes.toByteArray());
      client.out.flush();
      assertEquals(Nbd.REP_ACK, client.readOptionReply().type());
      assertTrue(client.isClosedByServer());
    }
  }

  @Test
  void shouldEndAHandshakeThatTheClientDoesNotFinish() throws Exception {
    serve("tls = require, handshake-timeout = 3 s");
    try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).greet()) {
      assertEquals(Nbd.REP_ACK, client.option(5, NOTHING).getLast().type());
      client.in.readAllBytes(); // A last alert, and the end; without one the client's own time limit fails this.
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void shouldServeAClientThatIsSlowToReadWithoutLosingOrMixingBytes(String protocol) throws Exception {
    serve("tls = require");
    byte[] data = new byte[8 << 20];
    new Random(11).nextBytes(data);
    try (NbdTestClient plain = new NbdTestClient(server.uris().getFirst()).greet()) {
      plain.option(5, NOTHING);
      try (SSLSocket tls = (SSLSocket) new TlsFiles(ours).client().getSocketFactory().createSocket(plain.socket, "localhost", 1, true)) {
        tls.setEnabledProtocols(new String[] {protocol});
        DataOutputStream out = new DataOutputStream(new java.io.BufferedOutputStream(tls.getOutputStream()));
        DataInputStream in = new DataInputStream(tls.getInputStream());
        out.writeLong(Nbd.OPTION_MAGIC);
        out.writeInt(1);
        out.writeInt(0);
        out.flush();
        in.readNBytes(10);
        request(out, Nbd.CMD_WRITE, 1, 0, data.length);
        out.write(data);
        out.flush();
        assertArrayEquals(reply(1), in.readNBytes(16));
        for (int i = 0; i < 8; i++) { // All asked for at once: more than the sockets hold.
          request(out, Nbd.CMD_READ, 2 + i, i << 20, 1 << 20);
        }
        out.flush();
        Thread.sleep(300); // The server's socket fills; a record that is half sent waits for room.
        boolean[] seen = new boolean[8];
        for (int i = 0; i < 8; i++) {
          byte[] head = in.readNBytes(16);
          int which = head[15] - 2;
          assertArrayEquals(reply(2 + which), head);
          seen[which] = true;
          assertArrayEquals(java.util.Arrays.copyOfRange(data, which << 20, which + 1 << 20), in.readNBytes(1 << 20));
        }
        assertArrayEquals(new boolean[] {true, true, true, true, true, true, true, true}, seen);
        if (protocol.equals("TLSv1.2")) {
          assertThrows(IOException.class, () -> {
            tls.startHandshake(); // Asks for a new handshake, which costs the server more than the client.
            in.readByte();
          });
        } else {
          tls.startHandshake(); // A key update.
          request(out, Nbd.CMD_READ, 77, 4096, 4096);
          out.flush();
          assertArrayEquals(reply(77), in.readNBytes(16));
          assertArrayEquals(java.util.Arrays.copyOfRange(data, 4096, 8192), in.readNBytes(4096));
        }
      }
    }
  }

  private static void request(DataOutputStream out, int type, long cookie, long offset, int length) throws IOException {
    out.writeInt(Nbd.REQUEST_MAGIC);
    out.writeShort(0);
    out.writeShort(type);
    out.writeLong(cookie);
    out.writeLong(offset);
    out.writeInt(length);
  }

  private static byte[] reply(long cookie) {
    return java.nio.ByteBuffer.allocate(16).putInt(Nbd.SIMPLE_REPLY_MAGIC).putInt(0).putLong(cookie).array();
  }

  @Test
  void shouldRefuseToLeaveTheMachineUnlessClientsProveWhoTheyAre() throws Exception {
    String anywhere = "listen = [\"0.0.0.0:0\"], ";
    try (RamBlockDevice small = new RamBlockDevice(65_536)) {
      for (String open : List.of("tls = off", "tls = on", "tls = require, tls-verify-client = false")) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> NbdServing.serve(overrides(anywhere + open), small), open);
        assertTrue(refused.getMessage().contains("allow-non-loopback"), refused::getMessage);
      }
      NbdServing.serve(overrides(anywhere + "tls = require"), small).close();
      NbdServing.serve(overrides(anywhere + "tls = off, allow-non-loopback = true"), small).close();
    }
  }

  @Test
  void shouldSayWhichFileIsWrongBeforeItListens() throws Exception {
    Path bad = directory.resolve("bad");
    assertStartFails(bad, "is not a directory");
    Files.createDirectories(bad);
    assertStartFails(bad, "ca-cert.pem does not exist");
    Files.copy(ours.resolve("ca-cert.pem"), bad.resolve("ca-cert.pem"));
    Files.writeString(bad.resolve("server-cert.pem"), "nothing");
    assertStartFails(bad, "server-cert.pem holds no certificate");
    Files.delete(bad.resolve("server-cert.pem"));
    Files.copy(ours.resolve("server-cert.pem"), bad.resolve("server-cert.pem"));
    Path key = bad.resolve("server-key.pem");
    Files.copy(strangers.resolve("server-key.pem"), key);
    assertStartFails(bad, "is not the key of");
    Files.setPosixFilePermissions(key, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
    assertStartFails(bad, "chmod 600");
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
        () -> NbdServing.settings("weft.pager.nbd.tls = require"));
    assertTrue(refused.getMessage().contains("weft.tls.certificates"), refused::getMessage);
    assertTrue(assertThrows(IllegalArgumentException.class, () -> NbdServing.settings("weft.pager.nbd.tls = maybe")).getMessage()
        .contains("off, on or require"));
  }

  private static void assertStartFails(Path files, String why) {
    try (RamBlockDevice small = new RamBlockDevice(65_536)) {
      String overrides = "weft.tls.certificates = \"" + files + "\", weft.pager.nbd.tls = require";
      IOException failed = assertThrows(IOException.class, () -> NbdServing.serve(overrides, small));
      assertTrue(failed.getMessage().contains(why), failed::getMessage);
    }
  }

  @Test
  void shouldTakeAnOlderRsaKey() throws Exception {
    NbdClients.need("openssl");
    Path older = directory.resolve("older");
    Files.createDirectories(older);
    for (String file : List.of("ca-cert.pem", "server-cert.pem")) {
      Files.copy(ours.resolve(file), older.resolve(file));
    }
    Process openssl = new ProcessBuilder("openssl", "rsa", "-traditional", "-in", ours.resolve("server-key.pem").toString(), "-out",
        older.resolve("server-key.pem").toString()).redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile()).start();
    assertEquals(0, openssl.waitFor(), () -> "openssl rsa -traditional");
    assertTrue(Files.readString(older.resolve("server-key.pem")).contains("RSA PRIVATE KEY"));
    new TlsFiles(older).server();
  }
}

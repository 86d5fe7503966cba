package dev.weft.fabric.admission;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(180)
class AdmissionDeskTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private static AdmissionClient.Result ask(int port, FabricSecret secret) throws Exception {
    return AdmissionClient.ask(LOOPBACK, new InetSocketAddress(LOOPBACK, port), secret, false);
  }

  @Test
  void shouldAdmitWhoKnowsTheSecretAndGiveTheKeysOfTheFabric() throws Exception {
    FabricKeys keys = Secrets.of('a').newKeys();
    try (AdmissionDesk desk = AdmissionDesk.open(LOOPBACK, 0, keys)) {
      FabricKeys got = assertInstanceOf(AdmissionClient.Admitted.class, ask(desk.port(), Secrets.of('a'))).keys();
      byte[] text = {1, 2, 3};
      assertArrayEquals(keys.control().of(text), got.control().of(text));
      assertEquals(0, desk.refusals());
    }
  }

  @Test
  void shouldRefuseAnotherSecretOrNoneAndGoOn() throws Exception {
    try (AdmissionDesk desk = AdmissionDesk.open(LOOPBACK, 0, Secrets.of('a').newKeys())) {
      assertInstanceOf(AdmissionClient.Refused.class, ask(desk.port(), Secrets.of('b')));
      assertInstanceOf(AdmissionClient.SecretWanted.class, ask(desk.port(), null));
      try (Socket garbage = new Socket(LOOPBACK, desk.port())) {
        garbage.getOutputStream().write(new byte[Admission.REQUEST_LENGTH]);
        byte[] said = garbage.getInputStream().readNBytes(Admission.GREETING_LENGTH + Admission.VERDICT_LENGTH);
        assertFalse(Admission.isAdmission(Arrays.copyOfRange(said, Admission.GREETING_LENGTH, said.length)));
      }
      assertInstanceOf(AdmissionClient.Admitted.class, ask(desk.port(), Secrets.of('a')));
      assertEquals(2, desk.refusals());
    }
  }

  @Test
  void shouldServeOthersWhileSomebodySaysNothing() throws Exception {
    try (AdmissionDesk desk = AdmissionDesk.open(LOOPBACK, 0, Secrets.of('a').newKeys()); Socket silent = new Socket(LOOPBACK, desk.port())) {
      assertTrue(silent.isConnected());
      assertInstanceOf(AdmissionClient.Admitted.class, ask(desk.port(), Secrets.of('a')));
      assertEquals(Admission.GREETING_LENGTH, silent.getInputStream().readAllBytes().length, "and it is sent away after a while");
    }
  }

  @Test
  void shouldTellThatNobodyListensFromThatSomebodyElseDoes() throws Exception {
    int port;
    try (ServerSocket other = new ServerSocket(0, 1, LOOPBACK)) {
      port = other.getLocalPort();
      Thread speaker = Thread.ofPlatform().start(() -> {
        for (int i = 0; i < 2; i++) {
          try (Socket one = other.accept()) {
            one.getOutputStream().write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      });
      assertInstanceOf(AdmissionClient.Impostor.class, ask(port, Secrets.of('a')));
      assertInstanceOf(AdmissionClient.NoDesk.class, ask(port, null));
      speaker.join();
    }
    assertInstanceOf(AdmissionClient.NoDesk.class, ask(port, Secrets.of('a')));
  }

  @Test
  void shouldTakeASilentProgramForNoDeskWhereTheFabricMayHaveNoSecret() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 3, LOOPBACK)) {
      InetSocketAddress there = new InetSocketAddress(LOOPBACK, silent.getLocalPort());
      assertInstanceOf(AdmissionClient.NoDesk.class, AdmissionClient.ask(LOOPBACK, there, null, false));
      assertInstanceOf(AdmissionClient.NoDesk.class, AdmissionClient.ask(LOOPBACK, there, Secrets.of('a'), true));
      assertThrows(SocketTimeoutException.class, () -> AdmissionClient.ask(LOOPBACK, there, Secrets.of('a'), false));
    }
  }

  @Test
  void shouldNotBelieveAFabricThatDoesNotKnowTheSecret() throws Exception {
    FabricSecret secret = Secrets.of('a');
    byte[] greeting = Admission.greeting();
    byte[] request = Admission.request(secret, greeting);
    byte[] verdict = Admission.verdict(secret.newKeys(), greeting, request);
    assertNotNull(Admission.keys(secret, greeting, request, verdict));
    for (int at = 1; at < verdict.length; at++) {
      byte[] changed = verdict.clone();
      changed[at] ^= 1;
      assertNull(Admission.keys(secret, greeting, request, changed), "byte " + at + " was changed unnoticed");
    }
    assertNull(Admission.keys(secret, Admission.greeting(), request, verdict), "of another conversation");
  }

  @Test
  void shouldAdmitNobodyWhoRepeatsWhatAnotherSaid() throws Exception {
    FabricSecret secret = Secrets.of('a');
    FabricKeys keys = secret.newKeys();
    byte[] greeting = Admission.greeting();
    byte[] request = Admission.request(secret, greeting);
    assertTrue(Admission.isAdmission(Admission.verdict(keys, greeting, request)));
    byte[] refusal = Admission.verdict(keys, Admission.greeting(), request);
    assertArrayEquals(new byte[Admission.VERDICT_LENGTH], refusal, "a refusal gives nothing away");
  }
}

package dev.weft.fabric.admission;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** The joiner's side of {@link AdmissionDesk}. */
public final class AdmissionClient {
  private AdmissionClient() {}

  /** How it went. */
  public sealed interface Result {}

  /** Both know the secret; the keys are those of the fabric. */
  public record Admitted(FabricKeys keys) implements Result {}

  /** Nobody listens there, or no desk where none is needed: the fabric wants no secret, or there is no fabric. */
  public record NoDesk() implements Result {}

  /** There is a desk, but this JVM was given no secret to show. */
  public record SecretWanted() implements Result {}

  /** The fabric has another secret. */
  public record Refused() implements Result {}

  /** Who listens there does not know the secret, or is no desk. */
  public record Impostor() implements Result {}

  /**
   * Asks to be admitted.
   *
   * @param from address of this host
   * @param secret null if there is none
   * @param mayBeOpen whether the fabric may have no secret even if this JVM has one
   * @throws IOException if the desk cannot be reached, or does not answer in time
   */
  public static Result ask(InetAddress from, InetSocketAddress desk, FabricSecret secret, boolean mayBeOpen) throws IOException {
    try (Socket socket = new Socket()) {
      socket.bind(new InetSocketAddress(from, 0));
      try {
        socket.connect(desk, Lines.PATIENCE_MS);
      } catch (ConnectException nobody) {
        return new NoDesk();
      }
      return converse(new Lines(socket), secret, secret == null || mayBeOpen);
    }
  }

  /** Any program may have the TCP port of a fabric without a secret, and it may say something else or nothing. */
  private static Result converse(Lines lines, FabricSecret secret, boolean mayBeOpen) throws IOException {
    byte[] greeting;
    try {
      greeting = lines.read(Admission.GREETING_LENGTH);
    } catch (SocketTimeoutException | EOFException silent) {
      if (mayBeOpen) {
        return new NoDesk();
      }
      throw silent;
    }
    if (!Admission.hasMark(greeting)) {
      return mayBeOpen ? new NoDesk() : new Impostor();
    }
    if (secret == null) {
      return new SecretWanted();
    }
    byte[] request = Admission.request(secret, greeting);
    lines.write(request);
    byte[] verdict = lines.read(Admission.VERDICT_LENGTH);
    if (!Admission.isAdmission(verdict)) {
      return new Refused();
    }
    FabricKeys keys = Admission.keys(secret, greeting, request, verdict);
    return keys == null ? new Impostor() : new Admitted(keys);
  }
}

package dev.weft.fabric.admission;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** Asks the {@link AdmissionDesk} of a fabric to admit this JVM. */
public final class AdmissionClient {
  private AdmissionClient() {}

  /** The result of a request. */
  public sealed interface Result {}

  /** Both know the secret; the keys are those of the fabric. */
  public record Admitted(FabricKeys keys) implements Result {}

  /** There is no desk: the fabric has no secret, or there is no fabric. */
  public record NoDesk() implements Result {}

  /** There is a desk, but this JVM has no secret to show. */
  public record SecretWanted() implements Result {}

  /** The fabric has another secret. */
  public record Refused() implements Result {}

  /** The program that listens there does not know the secret, or is not a desk. */
  public record Impostor() implements Result {}

  /**
   * Asks to be admitted.
   *
   * @param from local address of the connection
   * @param desk address of the desk
   * @param secret the secret; null if there is none
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

  /** Runs the protocol. If the fabric has no secret, any program may have the TCP port, and may send other data or nothing. */
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

package dev.weft.fabric.admission;

import akka.actor.setup.Setup;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The keys of one fabric, of its secret and of a salt that its first JVM drew: what was sent in one fabric is worth nothing in another. Any
 * thread. An actor system is given them as a setup, because configurations are printed.
 */
public final class FabricKeys extends Setup {
  private final byte[] salt;
  private final MessageCode handshake;
  private final MessageCode control;
  private final MessageCode trunk;

  FabricKeys(byte[] secret, byte[] salt, MessageCode handshake) {
    this.salt = salt.clone();
    this.handshake = handshake;
    control = MessageCode.derive(secret, salt, "weft control 1");
    trunk = MessageCode.derive(secret, salt, "weft trunk 1");
  }

  byte[] salt() {
    return salt.clone();
  }

  /** Of the conversation at the desk; the same for all fabrics of the secret. */
  MessageCode handshake() {
    return handshake;
  }

  /** Of control messages. */
  MessageCode control() {
    return control;
  }

  /**
   * What a UDP trunk begins with, {@link #trunkHelloLength()} bytes.
   *
   * @param sessionId Aeron session id of the sender's publication, which no two trunks to one JVM share
   * @param receiver {@code host:port} that the receiver takes trunks on
   */
  public byte[] trunkHello(int sessionId, String receiver) {
    return trunk.of(ByteBuffer.allocate(Integer.BYTES).putInt(sessionId).array(), receiver.getBytes(StandardCharsets.US_ASCII));
  }

  /** Whether a trunk begins as it should. */
  public boolean isTrunkHello(byte[] hello, int sessionId, String receiver) {
    return trunk.matches(hello, ByteBuffer.allocate(Integer.BYTES).putInt(sessionId).array(), receiver.getBytes(StandardCharsets.US_ASCII));
  }

  /** Length of {@link #trunkHello} in bytes. */
  public static int trunkHelloLength() {
    return MessageCode.LENGTH;
  }
}

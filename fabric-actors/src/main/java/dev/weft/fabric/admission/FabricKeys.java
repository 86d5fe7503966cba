package dev.weft.fabric.admission;

import akka.actor.setup.Setup;
import dev.weft.fabric.seal.SealKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The keys of one fabric, derived from its secret and a salt that its first JVM drew. So messages of one fabric are useless in another. An
 * actor system gets the keys as a setup and not in its configuration, because configurations are printed. Any thread.
 */
public final class FabricKeys extends Setup {
  private final byte[] salt;
  private final MessageCode handshake;
  private final MessageCode control;
  private final MessageCode trunk;
  private final SealKey seal;

  FabricKeys(byte[] secret, byte[] salt, MessageCode handshake) {
    this.salt = salt.clone();
    this.handshake = handshake;
    control = MessageCode.derive(secret, salt, "weft control 1");
    trunk = MessageCode.derive(secret, salt, "weft trunk 1");
    seal = new SealKey(MessageCode.derive(secret, salt, "weft seal 1").of());
  }

  byte[] salt() {
    return salt.clone();
  }

  /** Returns the codes for the protocol at the desk; they are the same for all fabrics with this secret. */
  MessageCode handshake() {
    return handshake;
  }

  /** Returns the codes for control messages. */
  MessageCode control() {
    return control;
  }

  /** Returns the key for the fabric's datagrams. */
  public SealKey seal() {
    return seal;
  }

  /**
   * Returns the code with which a UDP trunk must begin, {@link #trunkHelloLength()} bytes.
   *
   * @param sessionId Aeron session id of the sender's publication; no two trunks to one JVM have the same
   * @param receiver {@code host:port} at which the receiver accepts trunks
   */
  public byte[] trunkHello(int sessionId, String receiver) {
    return trunk.of(ByteBuffer.allocate(Integer.BYTES).putInt(sessionId).array(), receiver.getBytes(StandardCharsets.US_ASCII));
  }

  /** Whether {@code hello} is the code with which the trunk must begin. */
  public boolean isTrunkHello(byte[] hello, int sessionId, String receiver) {
    return trunk.matches(hello, ByteBuffer.allocate(Integer.BYTES).putInt(sessionId).array(), receiver.getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns the length of {@link #trunkHello} in bytes. */
  public static int trunkHelloLength() {
    return MessageCode.LENGTH;
  }
}

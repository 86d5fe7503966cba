package dev.weft.fabric.admission;

import java.util.Arrays;

/**
 * The protocol between the admission desk and a joining JVM, without the sockets. All lengths are fixed:
 *
 * <pre>
 *  desk    mark 8, challenge 32
 *  joiner  mark 8, challenge 32, HMAC("J", desk's challenge, own challenge) 32
 *  desk    verdict 1, salt 32, HMAC("F", joiner's challenge, desk's challenge, salt) 32; zeros after a refusal
 * </pre>
 *
 * <p>The joiner proves first that it knows the secret. The salt need not be secret: it is useless without the secret.
 */
final class Admission {
  static final byte[] MARK = {'w', 'e', 'f', 't', 'j', 'o', 'i', '1'};
  static final int CHALLENGE_LENGTH = 32;
  static final int GREETING_LENGTH = MARK.length + CHALLENGE_LENGTH;
  static final int REQUEST_LENGTH = GREETING_LENGTH + MessageCode.LENGTH;
  static final int VERDICT_LENGTH = 1 + FabricSecret.SALT_LENGTH + MessageCode.LENGTH;

  private static final byte ADMITTED = 1;
  private static final byte[] JOINER = {'J'};
  private static final byte[] FABRIC = {'F'};

  private Admission() {}

  static boolean hasMark(byte[] message) {
    return Arrays.equals(MARK, 0, MARK.length, message, 0, MARK.length);
  }

  private static byte[] part(byte[] message, int offset, int length) {
    return Arrays.copyOfRange(message, offset, offset + length);
  }

  private static byte[] challengeOf(byte[] message) {
    return part(message, MARK.length, CHALLENGE_LENGTH);
  }

  static byte[] join(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] whole = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, whole, at, part.length);
      at += part.length;
    }
    return whole;
  }

  /** Makes the desk's first message. */
  static byte[] greeting() {
    return join(MARK, FabricSecret.random(CHALLENGE_LENGTH));
  }

  /** Makes the joiner's answer to {@code greeting}. */
  static byte[] request(FabricSecret secret, byte[] greeting) {
    byte[] challenge = FabricSecret.random(CHALLENGE_LENGTH);
    return join(MARK, challenge, secret.handshake().of(JOINER, challengeOf(greeting), challenge));
  }

  /** Makes the desk's answer to {@code request}. */
  static byte[] verdict(FabricKeys keys, byte[] greeting, byte[] request) {
    byte[] proof = part(request, GREETING_LENGTH, MessageCode.LENGTH);
    if (!hasMark(request) || !keys.handshake().matches(proof, JOINER, challengeOf(greeting), challengeOf(request))) {
      return new byte[VERDICT_LENGTH];
    }
    byte[] salt = keys.salt();
    return join(new byte[] {ADMITTED}, salt, keys.handshake().of(FABRIC, challengeOf(request), challengeOf(greeting), salt));
  }

  static boolean isAdmission(byte[] verdict) {
    return verdict[0] == ADMITTED;
  }

  /** Returns the keys of the fabric that has admitted the joiner; null if the sender of {@code verdict} does not know the secret. */
  static FabricKeys keys(FabricSecret secret, byte[] greeting, byte[] request, byte[] verdict) {
    byte[] salt = part(verdict, 1, FabricSecret.SALT_LENGTH);
    byte[] proof = part(verdict, 1 + FabricSecret.SALT_LENGTH, MessageCode.LENGTH);
    return secret.handshake().matches(proof, FABRIC, challengeOf(request), challengeOf(greeting), salt) ? secret.keys(salt) : null;
  }
}

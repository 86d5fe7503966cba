package dev.weft.pvfs.tcp;

import dev.weft.fabric.admission.FabricSecret;
import dev.weft.fabric.admission.MessageCode;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Both sides prove that they know the secret without sending it: by HMAC-SHA256 over two random numbers, under a key derived from the secret. The
 * client proves it first.
 *
 * <pre>
 * server  8 "weftpvf1"   32 random number
 * client  32 random number   32 code of (client, server's number, client's number)
 * server  32 code of (server, server's number, client's number)
 * </pre>
 *
 * <p>This decides who may connect. Later data of the connection is neither encrypted nor authenticated.
 */
final class TcpHandshake {
  private static final byte[] MAGIC = "weftpvf1".getBytes(StandardCharsets.US_ASCII);
  private static final String PURPOSE = "weft pvfs tcp 1";
  private static final int NUMBER_BYTES = 32;
  private static final byte[] CLIENT = {'c'};
  private static final byte[] SERVER = {'s'};
  private static final SecureRandom RANDOM = new SecureRandom();

  /** The other side knows another secret, or none. */
  static final class WrongSecretException extends IOException {
    private static final long serialVersionUID = 1;

    WrongSecretException(String message) {
      super(message);
    }
  }

  private final MessageCode codes;

  TcpHandshake(FabricSecret secret) {
    codes = secret.codes(PURPOSE);
  }

  private static byte[] number() {
    byte[] number = new byte[NUMBER_BYTES];
    RANDOM.nextBytes(number);
    return number;
  }

  /** The server's side; returns when the client has proved that it knows the secret. */
  void serve(Socket client, long deadlineNs) throws IOException {
    byte[] ours = number();
    byte[] greeting = Arrays.copyOf(MAGIC, MAGIC.length + NUMBER_BYTES);
    System.arraycopy(ours, 0, greeting, MAGIC.length, NUMBER_BYTES);
    client.getOutputStream().write(greeting);
    byte[] answer = TcpFrames.readFully(client, NUMBER_BYTES + MessageCode.LENGTH, deadlineNs);
    byte[] theirs = Arrays.copyOf(answer, NUMBER_BYTES);
    if (!codes.matches(Arrays.copyOfRange(answer, NUMBER_BYTES, answer.length), CLIENT, ours, theirs)) {
      throw new WrongSecretException("it does not know the secret");
    }
    client.getOutputStream().write(codes.of(SERVER, ours, theirs));
  }

  /** The client's side. */
  void call(Socket server, long deadlineNs) throws IOException {
    byte[] greeting = TcpFrames.readFully(server, MAGIC.length + NUMBER_BYTES, deadlineNs);
    if (!Arrays.equals(greeting, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new IOException("what answers is no file system, or one of another version");
    }
    byte[] theirs = Arrays.copyOfRange(greeting, MAGIC.length, greeting.length);
    byte[] ours = number();
    byte[] answer = Arrays.copyOf(ours, NUMBER_BYTES + MessageCode.LENGTH);
    System.arraycopy(codes.of(CLIENT, theirs, ours), 0, answer, NUMBER_BYTES, MessageCode.LENGTH);
    server.getOutputStream().write(answer);
    byte[] code;
    try {
      code = TcpFrames.readFully(server, MessageCode.LENGTH, deadlineNs);
    } catch (java.io.EOFException closed) {
      throw new WrongSecretException("it does not take the secret");
    }
    if (!codes.matches(code, SERVER, theirs, ours)) {
      throw new WrongSecretException("it does not know the secret");
    }
  }
}

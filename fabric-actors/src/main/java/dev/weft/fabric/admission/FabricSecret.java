package dev.weft.fabric.admission;

import dev.weft.fabric.tls.SecretFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/** The secret that JVMs need to join a fabric: the first line of a file. It is never printed. Any thread. */
public final class FabricSecret {
  static final int SALT_LENGTH = 32;

  private static final int RANDOM_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final byte[] secret;
  private final MessageCode handshake;

  private FabricSecret(String line) {
    secret = line.getBytes(StandardCharsets.US_ASCII);
    handshake = MessageCode.derive(secret, new byte[0], "weft admission 1");
  }

  /**
   * Reads {@code file}, as {@link SecretFile#read} does.
   *
   * @throws IOException if it holds no secret, or every user of this machine may read or write it; the message does not quote the file
   */
  public static FabricSecret read(Path file) throws IOException {
    return new FabricSecret(SecretFile.read(file));
  }

  /** Does the same. If {@code file} does not exist, first makes it with 256 random bits, readable by its owner only. */
  public static FabricSecret readOrMake(Path file) throws IOException {
    if (!Files.exists(file)) {
      make(file);
    }
    return read(file);
  }

  /** Makes the file atomically: another process finds either no file or the whole one. */
  private static void make(Path file) throws IOException {
    Path whole = Files.createTempFile(file.toAbsolutePath().getParent(), "secret", ".new",
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(whole, HexFormat.of().formatHex(random(RANDOM_BYTES)) + "\n", StandardCharsets.US_ASCII);
      Files.createLink(file, whole); // Fails if another process was quicker; a move would replace its file.
    } catch (FileAlreadyExistsException another) {
      return;
    } catch (FileSystemException | UnsupportedOperationException noLinks) {
      Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(whole);
    }
  }

  static byte[] random(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** Returns keys for a new fabric. */
  public FabricKeys newKeys() {
    return keys(random(SALT_LENGTH));
  }

  FabricKeys keys(byte[] salt) {
    return new FabricKeys(secret, salt, handshake);
  }

  /**
   * Returns the codes for another protocol between JVMs that know the secret. Messages of one protocol cannot be used in another.
   *
   * @param purpose name and version of the protocol, ASCII
   */
  public MessageCode codes(String purpose) {
    return MessageCode.derive(secret, new byte[0], purpose);
  }

  /** Returns the codes for the protocol at the desk. */
  MessageCode handshake() {
    return handshake;
  }
}

package dev.weft.fabric.cluster;

import dev.weft.fabric.files.PrivateFile;
import dev.weft.fabric.seal.SealKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The record, beside a media driver's directory, of the key with which the driver encrypts: a text that tells keys apart. JVMs of a fabric with a secret
 * must not use a driver that does not encrypt, or encrypts with another key.
 */
final class DriverSeal {
  private static final String NONE = "none";

  private DriverSeal() {}

  private static Path file(Path directory) {
    return directory.resolveSibling(directory.getFileName() + ".seal");
  }

  private static String text(SealKey seal) {
    return seal == null ? NONE : seal.id();
  }

  /** Records the key of a driver that is about to start. The caller holds the directory's start lock, as for all methods. */
  static void record(Path directory, SealKey seal) throws IOException {
    PrivateFile.replace(file(directory), text(seal).getBytes(StandardCharsets.US_ASCII));
  }

  /**
   * Checks the key of a driver that is alive.
   *
   * @throws IOException if it is not that key; the message says what to do
   */
  static void check(Path directory, SealKey seal) throws IOException {
    String recorded = Files.exists(file(directory)) ? Files.readString(file(directory)) : NONE;
    if (!recorded.equals(text(seal))) {
      throw new IOException("the media driver in " + directory + (recorded.equals(NONE) ? " does not encrypt, and this fabric has a secret"
          : seal == null ? " encrypts for a fabric with a secret, and this fabric has none" : " encrypts for another fabric") + "; "
          + MediaDriverProcess.REMEDY);
    }
  }

  static void forget(Path directory) throws IOException {
    Files.deleteIfExists(file(directory));
  }
}
